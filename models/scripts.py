"""Which scripts a text is written in: the embedded models and the English parser know one of them."""

from __future__ import annotations

import regex  # type: ignore[import-untyped]  # the package ships no type information

NAMES = (
    *(
        "Han",
        "Hiragana",
        "Katakana",
        "Hangul",
        "Arabic",
        "Hebrew",
        "Cyrillic",
        "Greek",
        "Armenian",
        "Georgian",
        "Ethiopic",
    ),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
)
"""Scripts that are told apart by their names in Unicode; the rest are OTHER."""

OTHER = "other"

_LETTER = regex.compile(r"\p{L}")
_LATIN = regex.compile(r"\p{Latin}")
_SCRIPTS = [(name, regex.compile(rf"[\p{{{name}}}&&\p{{L}}]", flags=regex.V1)) for name in NAMES]


def is_latin(text: str) -> bool:
    """Tell whether at least half of a text's letters are Latin; a text without letters counts as Latin."""
    if text.isascii():
        return True
    return 2 * len(_LATIN.findall(text)) >= len(_LETTER.findall(text))


def main_script(text: str) -> str:
    """Name the script of most letters of a text, Latin aside: one of NAMES, or OTHER."""
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else OTHER
