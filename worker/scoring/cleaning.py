"""What of a sentence reaches the model: its words, without citation marks, Markdown, HTML tags and emoji at its ends.

They are about the sentence, not part of what it says, and they mislead a model that was trained on plain prose.
"""

from __future__ import annotations

import re

from groundwire.models.citation_marks import EMOJI, REFERENCE, SUPERSCRIPT, SUPERSCRIPT_DIGITS

_REFERENCE = re.compile(rf"(?:(?<!\s)\s+)?{REFERENCE}")
"""The space before a mark goes with it."""

_RAISED = f"[{SUPERSCRIPT_DIGITS}]"
_UNITS = "".join(
    rf"(?<!\b{unit})" for unit in ("mm", "cm", "dm", "km", "nm", "\u00b5m", "\u03bcm", "kg", "ft", "in", "yd", "mi")
)
_LETTER = r"[^\W\d_]"
_RAISED_REFERENCE = re.compile(
    "(?:"
    r"""(?<=[.!?,;:"'\u201d\u2019\u00bb\u3002\uff01\uff1f])"""  # behind a mark, where nothing can be raised to a power
    rf"|(?<={_LETTER * 4})"  # behind a word that is too long for a unit or a variable
    rf"|(?<={_LETTER * 2}){_UNITS}(?![\u00b2\u00b3](?!{_RAISED}|,))"  # squares and cubes stay behind shorter ones
    r"|(?<=\b1[5-9]\d\d)|(?<=\b20\d\d)"  # behind a year
    rf"|(?<=[)%\]])(?![\u00b2\u00b3](?!{_RAISED}|,))"
    rf")\s?{SUPERSCRIPT}"
)
"""A raised number that is no exponent."""

_TAG = re.compile(
    r"</?(?:a|abbr|b|cite|code|del|em|font|i|ins|kbd|mark|s|small|span|strike|strong|sub|sup|tt|u)(?:\s[^<>]{0,500})?>",
    re.IGNORECASE,
)
_BREAKING_TAG = re.compile(
    r"</?(?:blockquote|br|details|div|hr|li|ol|p|summary|ul)(?:\s[^<>]{0,500})?/?>", re.IGNORECASE
)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000}|[^<>\s@]{1,100}@[^<>\s@]{1,200})>")
_LINK = re.compile(r"""!?\[([^\[\]]{1,1000})\]\((?:[^()\s]|\([^()\s]{0,300}\)){1,2000}(?:\s"[^"]{0,300}")?\)""")
_LINE_MARKER = re.compile(r"^\s*(?:(?:[-*+>\u2022]|\#{1,6}|\d{1,3}[.)])\s+)+")
_STRONG = re.compile(r"(?<!\d)(?:\*{2,3}+|~~)(?=\S)|(?<=\S)(?:\*{2,3}+|~~)(?!\d)")
"""Marks of strong emphasis, also without their partner: a sentence can begin or end inside emphasis. `2 ** 3` and
`2**3` stay."""

_UNDERLINES = re.compile(r"(?<!\w)_{1,3}([^_\s](?:[^_]*[^_\s])?)_{1,3}(?!\w)")
_EMPHASIS = re.compile(r"(?<![\w*\\])\*([^*\s](?:[^*]*[^*\s\\])?)\*(?![\w*])")
_ESCAPED = re.compile(r"\\([\\*_{}\[\]()#+.!|>~$-])")
_EMOJI_AT_ENDS = re.compile(rf"\A(?:\s*{EMOJI})+|(?:\s*{EMOJI})+\s*\Z")
_ENTITIES = {"&nbsp;": " ", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&"}


def clean(sentence: str) -> str:
    """Give a sentence as the model is to read it.

    Citations such as `[1]`, `[Source 2]`, `【4†source】`, `(Smith et al., 2020)` and raised numbers that are no
    exponents vanish, and so do emoji at the ends. Markdown emphasis, links, code marks, list markers and HTML tags
    leave the text that they mark; white space becomes single spaces.
    """
    text = sentence
    if not text.isascii() or "<" in text:
        text = _RAISED_REFERENCE.sub("", text)
    if "<" in text:
        text = _AUTOLINK.sub(r"\1", _BREAKING_TAG.sub(" ", _TAG.sub("", text)))
    # most sentences have none of these, and contexts have many sentences
    if "[" in text or "(" in text or "\u3010" in text:
        text = _LINK.sub(r"\1", _REFERENCE.sub("", text))
    text = _LINE_MARKER.sub("", text)
    if "*" in text or "~" in text:
        text = _EMPHASIS.sub(r"\1", _UNDERLINES.sub(r"\1", _STRONG.sub("", text)))
    elif "_" in text:
        text = _UNDERLINES.sub(r"\1", text)
    text = text.replace("`", "")
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if "&" in text:
        for entity, character in _ENTITIES.items():
            text = text.replace(entity, character)
    if not text.isascii():
        text = _EMOJI_AT_ENDS.sub("", text)
    return " ".join(text.split())
