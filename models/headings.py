"""Whether a line is a heading: it names what follows, and claims nothing.

Answers have more headings than Markdown knows of: lines in bold, and short lines right above a list or paragraph. A
statement may look the same but for its verb, so a line with one is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.models.sentence_ends import word_set
from groundwire.models.sentences import END_MARKS, SOFT_WRAP_CHARS, SPACELESS_MARKS

if TYPE_CHECKING:
    from groundwire.models.markdown_lines import Line

MAX_BOLD_WORDS = 12
"""Words of the longest line in bold that is taken for a heading."""

MAX_COLON_WORDS = 6
"""Likewise of a plain line that ends with a colon."""

MAX_TITLE_WORDS = 8
"""Likewise of one whose words begin with capitals."""

MAX_PLAIN_WORDS = 3
"""Likewise of any other plain line: `Before you start` names what follows, four words may tell something."""

MAX_CHARS = 120
"""Longer lines are looked at no further."""

MAX_SPACELESS_CHARS = 12
"""Characters of the longest heading in a script without spaces, where words can't be counted."""

VERBS = word_set(
    """
    is are was were am has have had do does did will would can could may might must shall should
    isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't wouldn't can't cannot couldn't
    it's that's there's he's she's they're we're you're i'm
    became becomes began begins belongs came comes contains costs covers died ends exists gets gave gives goes got grew
    grows happened happens holds includes increased kept knows lasts lies lived lives lost made makes means measures met
    moved needs offers opened opens owns played plays provides ran reached reaches received remains requires rose runs
    said says seems sells serves shows sits stands starts stayed stays stood takes told took uses wants weighs went won
    works wrote
    """
)
"""Finite verbs that tell a statement from a heading."""

QUESTION_WORDS = word_set("what when where which who whom whose why how")
"""A heading may begin with them and go on with a verb: `What is new`."""

_ATX = re.compile(r"#{1,6}(?:[ \t]+|\Z)")
_ATX_END = re.compile(r"(?:(?<=[ \t])#+)?[ \t]*\Z")
_BOLD_ONLY = re.compile(r"(\*{2,3}|__)(?=\S)((?:(?!\1).)+)(?<=\S)\1(:?)\Z")
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]*")
_NUMBERING = re.compile(
    r"(?:(?:section|chapter|part|step|phase|day|week|option|version|level) )?\d+(?:\.\d+)*[.:)]?\s*", re.IGNORECASE
)
_FIGURE = re.compile(r"(?<![\w-])[^\w\s]?\d")
_SPACELESS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_ENDS = tuple(END_MARKS + SPACELESS_MARKS)
_MINOR = word_set("a an and as at but by for from in into nor of off on or over per the to up via vs with your")


def atx_heading(line: Line) -> tuple[int, int] | None:
    """Give where the text of a `# heading` begins and ends; None if the line is none. The text may be empty."""
    marks = _ATX.match(line.content)
    if not marks:
        return None
    content = line.content[marks.end() :]
    end = _ATX_END.search(content)
    length = len(content[: end.start()].rstrip()) if end else len(content)
    return line.content_start + marks.end(), line.content_start + marks.end() + length


def is_bold_heading(content: str, following: str | None) -> bool:
    """Tell whether a line that is nothing but bold text is a heading.

    Args:
        content: The line without list markers.
        following: The next line that is not blank, without list markers; None if there is none.
    """
    bold = _BOLD_ONLY.match(content) if len(content) <= MAX_CHARS else None
    if not bold or following is None or _BOLD_ONLY.match(following[:MAX_CHARS]):
        return False
    return _names_something(bold[2], MAX_BOLD_WORDS)


def is_plain_heading(content: str, following: Line) -> bool:
    """Tell whether a plain line is a heading.

    Args:
        content: The line, no list item, with no paragraph right above it.
        following: What stands right below it: a list item or the beginning of a paragraph.
    """
    if len(content) > MAX_CHARS or not (following.marker_length or _begins_paragraph(following.content)):
        return False
    numbering = _NUMBERING.match(content)
    title = content[numbering.end() :] if numbering else content
    if not content[0].isdigit() and not content[0].isupper():
        return False
    if _FIGURE.search(title) or ":" in title[:-1] or "," in title:
        return False
    words = title.rstrip(":").split()
    titled = all(word[0].isupper() or word in _MINOR for word in words)
    limit = MAX_TITLE_WORDS if titled else MAX_COLON_WORDS if title.endswith(":") else MAX_PLAIN_WORDS
    return _names_something(title, limit)


def _begins_paragraph(content: str) -> bool:
    return content.endswith(_ENDS) or len(content) >= SOFT_WRAP_CHARS


def _names_something(title: str, max_words: int) -> bool:
    """Tell whether a text is no more than so many words and no statement."""
    title = title.strip().rstrip("*_ ")
    if not title or title.endswith(_ENDS):
        return False
    if len(_SPACELESS.findall(title)) > MAX_SPACELESS_CHARS:
        return False
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(title)]
    if len(title.split()) > max_words or not words:
        return False
    return words[0] in QUESTION_WORDS or VERBS.isdisjoint(words)
