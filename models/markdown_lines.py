"""The lines of a text in Markdown, without the marks of block quotes, and what a line is by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundwire.models.sentences import LINE_BREAK, MARKERS

_QUOTE = re.compile(r"(?:[ \t]*>)*[ \t\u00a0\u3000]*")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*\Z")
_UNDERLINE = re.compile(r"(?:=+|-{2,})[ \t]*\Z")
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^`]*)\Z")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text.

    Attributes:
        start: Its first code point in the text.
        end: One past its last, without the line break.
        content_start: Where the indentation and the marks of block quotes end.
        content: What stands there, without white space at its end.
    """

    start: int
    end: int
    content_start: int
    content: str

    @property
    def content_end(self) -> int:
        """One past the last code point that is not white space."""
        return self.content_start + len(self.content)

    @property
    def is_rule(self) -> bool:
        """Whether it is a horizontal rule, such as `---`."""
        return _RULE.match(self.content) is not None

    @property
    def is_underline(self) -> bool:
        """Whether it makes a heading of the line above it."""
        return _UNDERLINE.match(self.content) is not None

    @property
    def marker_length(self) -> int:
        """Length of the markers of list items at the beginning of its content, white space behind them included."""
        markers = MARKERS.match(self.content)
        return markers.end() if markers else 0


@dataclass(frozen=True, slots=True)
class Fence:
    """A line that opens or closes a block of code.

    Attributes:
        marks: Its backticks or tildes.
        info: What stands behind them, in lower case: the language of the code.
    """

    marks: str
    info: str

    def closes(self, opening: Fence) -> bool:
        """Tell whether it closes a block: the same marks, at least as many, and nothing behind them."""
        return not self.info and self.marks.startswith(opening.marks)


def lines_of(text: str) -> list[Line]:
    """Cut a text into lines; the last one is there even if it is empty."""
    lines = []
    start = 0
    for end, following in [(found.start(), found.end()) for found in LINE_BREAK.finditer(text)] + [(len(text), 0)]:
        quote = _QUOTE.match(text, start, end)
        content_start = quote.end() if quote else start
        lines.append(Line(start, end, content_start, text[content_start:end].rstrip()))
        start = following
    return lines


def fence_of(line: Line) -> Fence | None:
    """Read a line that opens or closes a block of code; None if it is none."""
    fence = _FENCE.match(line.content)
    return Fence(fence[1], fence[2].strip().lower()) if fence else None
