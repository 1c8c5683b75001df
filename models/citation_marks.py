"""What a citation looks like in a text, and the emoji that may stand behind a sentence like one.

All are regular expressions as text, to be built into others. They are bounded: none takes more than linear time.
"""

from __future__ import annotations

_NUMBERS = r"\^?\d{1,4}(?:\s?[,;\u2013-]\s?\^?\d{1,4}){0,50}"
_SOURCE_WORD = r"(?i:doc|document|source|ref|reference|chunk|passage|context)"
CITATION = (
    rf"(?:\[\s?(?:{_SOURCE_WORD}[\s:#-]{{0,2}})?{_NUMBERS}\s?\](?:\([^()\s]{{1,2000}}\))?"
    r"|\u3010\d{1,4}(?::\d{1,4})?(?:\u2020[^\u3010\u3011]{0,200})?\u3011)"
)
"""A mark that names chunks, such as [1], [2, 3], [^1], [Source 4], 【5†source】 or one that is a link."""

NAMED_FOOTNOTE = r"\[\^[^\[\]\s]{1,60}\]"
"""A Markdown footnote by a name, such as [^smith]."""

SUPERSCRIPT_DIGITS = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
"""The raised digits, as a range for a character class."""

SUPERSCRIPT = (
    rf"(?:[{SUPERSCRIPT_DIGITS}](?:[,\u02d2\u2013\u207b]?[{SUPERSCRIPT_DIGITS}]){{0,50}}"
    r"|<sup>\s?\[?[0-9]{1,4}(?:\s?[,;\u2013-]\s?[0-9]{1,4}){0,20}\]?\s?</sup>)"
)
"""A raised number, which is a citation or an exponent: what stands before it tells which."""

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_PARTICLES = "(?:(?:van|von|de|der|den|di|da|la|le|al|el|bin) ){0,3}"
_NAME = rf"(?!{_MONTH}\b){_PARTICLES}[^\W\d_a-z][^\W\d_]{{0,30}}(?:[-'\u2019][^\W\d_]{{1,30}}){{0,3}}"
_YEAR = r"(?:1[89]|20)\d\d[a-z]?(?:, pp?\. ?\d{1,4}(?:[\u2013-]\d{1,4})?)?"
_SEVERAL = rf"{_NAME}(?:(?:, {_NAME}){{0,5}},? (?:and|&) {_NAME}|(?:, {_NAME}){{0,3}},? et al\.?),? {_YEAR}"
_ONE = rf"{_NAME},? {_YEAR}"
AUTHOR_YEAR = (
    r"\((?:(?:see(?: also)?|cf\.|e\.g\.,?) )?"
    rf"(?:{_ONE}; ){{0,5}}{_SEVERAL}(?:; (?:{_SEVERAL}|{_ONE})){{0,10}}\)"
)
"""Authors and year in parentheses, such as (Smith et al., 2020) or (Smith & Lee, 2021).

At least one work has several authors: (Smith, 2020) reads like (Paris, 1900), which is a part of what is said.
"""

REFERENCE = rf"(?:{CITATION}|{NAMED_FOOTNOTE}|{AUTHOR_YEAR})"
"""A citation that can be told by itself, whatever stands before it."""

EMOJI = (
    "(?:[0-9#*]\ufe0f?\u20e3"
    "|[\u2600-\u26ff\u2705\u2728\u2753\u2755\u2757\u2763\u2764\u2b50\u2b55\U0001f000-\U0001faff]"
    "[\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642\u2764\U000e0020-\U000e007f]{0,30})"
)
"""An emoji, or a part of one that is joined from several."""

BEHIND_END = rf"(?:\s?(?:{REFERENCE}|{SUPERSCRIPT}|{EMOJI}))"
"""What belongs to the sentence before it though it stands behind the end mark."""
