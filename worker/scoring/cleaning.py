"""What of a sentence reaches the model: its words, without citation marks and Markdown.

Both are about the sentence, not part of what it says, and they mislead a model that was trained on plain prose.
"""

from __future__ import annotations

import re

from groundwire.models.sentences import CITATION

_CITATION = re.compile(rf"(?:(?<!\s)\s+)?{CITATION}")
"""The space before a mark goes with it."""

_LINK = re.compile(r"!?\[([^\[\]]{1,1000})\]\([^()\s]{1,2000}\)")
_LINE_MARKER = re.compile(r"^\s*(?:(?:[-*+>\u2022]|\#{1,6}|\d{1,3}[.)])\s+)+")
_STRONG = re.compile(r"(?<!\d)(?:\*{2,3}+|~~)(?=\S)|(?<=\S)(?:\*{2,3}+|~~)(?!\d)")
"""Marks of strong emphasis, also without their partner: a sentence can begin or end inside emphasis. `2 ** 3` and
`2**3` stay."""

_UNDERLINES = re.compile(r"(?<!\w)_{1,3}([^_\s](?:[^_]*[^_\s])?)_{1,3}(?!\w)")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])")
_BACKTICKS = re.compile(r"`+")


def clean(sentence: str) -> str:
    """Give a sentence as the model is to read it.

    Citation marks such as `[1]`, `[2, 3]`, `[Source 2]` and `【4†source】` vanish, Markdown emphasis, links, code
    marks and list markers leave the text that they mark, white space becomes single spaces.
    """
    text = _CITATION.sub("", sentence)
    text = _LINK.sub(r"\1", text)
    text = _LINE_MARKER.sub("", text)
    text = _STRONG.sub("", text)
    text = _UNDERLINES.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\1", text)
    text = _BACKTICKS.sub("", text)
    return " ".join(text.split())
