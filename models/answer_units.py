"""What an answer in Markdown consists of: sentences, headings, code and the rows of tables, each an exact span."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from groundwire.models.headings import atx_heading, is_bold_heading, is_plain_heading
from groundwire.models.markdown_lines import fence_of, lines_of
from groundwire.models.sentences import stripped
from groundwire.models.tables import cells_of, is_separator, row_statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.models.markdown_lines import Fence
    from groundwire.models.sentences import Splitter

MARKDOWN_INFO = frozenset({"markdown", "md"})
"""Info strings of fences that some models put around a whole answer: what they hold is no code."""

LOOK_AHEAD = 20
"""Lines below a line that are searched for what it could be the heading of; more blank ones in a row end that."""


class UnitKind(StrEnum):
    """What a unit of an answer is. Sentences and rows of tables may claim something."""

    SENTENCE = "sentence"
    HEADING = "heading"
    CODE = "code"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of an answer, `text[start:end]`; offsets count code points.

    Attributes:
        start: Its first code point.
        end: One past its last.
        kind: What it is.
        statement: What a row of a table states, marks included: its cells with their headers. None of other kinds,
            which state what stands there.
    """

    start: int
    end: int
    kind: UnitKind
    statement: str | None = None


def answer_units(text: str, splitter: Splitter) -> list[Unit]:
    """Cut an answer into units.

    Args:
        text: Any text.
        splitter: Cuts what is prose into sentences.

    Returns:
        The units in order: disjoint, not blank, without white space at either end. Together they cover everything but
        white space, the markers of list items, block quotes and headings, and lines that are nothing but drawn.
    """
    structure = _Structure(text)
    # line breaks in place of all else: no sentence crosses them, and offsets stay as they are
    sentences = splitter.split(structure.prose)
    units = structure.units + [Unit(span.start, span.end, UnitKind.SENTENCE) for span in sentences]
    return sorted(units, key=lambda unit: unit.start)


class _Structure:
    """The lines of an answer, read from top to bottom.

    Attributes:
        units: Headings, code and the lines of tables.
        prose: The text with line breaks in place of every line that holds no sentence; as long as the text.
    """

    def __init__(self, text: str) -> None:
        self.units: list[Unit] = []
        self._text = text
        self._lines = lines_of(text)
        self._wrapper_end = -1
        self._is_prose = [True] * len(self._lines)
        place = 0
        while place < len(self._lines):
            taken = self._fenced(place) or self._table(place) or self._heading(place) or self._drawn(place)
            self._is_prose[place : place + taken] = [False] * taken
            place += taken or 1
        self.prose = "".join(self._prose_parts())

    def _prose_parts(self) -> list[str]:
        parts = []
        reached = 0
        for line, is_prose in zip(self._lines, self._is_prose, strict=True):
            parts.append(self._text[reached : line.start])
            parts.append(self._text[line.start : line.end] if is_prose else "\n" * (line.end - line.start))
            reached = line.end
        return parts

    def _add(self, start: int, end: int, kind: UnitKind, statement: str | None = None) -> None:
        self.units += [Unit(span.start, span.end, kind, statement) for span in stripped(self._text, start, end)]

    def _fenced(self, place: int) -> int:
        """Take a block of code and give the number of its lines, 0 if none begins here."""
        opening = fence_of(self._lines[place])
        if opening is None:
            return 0
        if place == self._wrapper_end or self._is_wrapper(place, opening):
            return 1
        inner = range(place + 1, len(self._lines))
        closing = next((at for at in inner if self._closes(at, opening)), len(self._lines) - 1)
        self._add(self._lines[place].content_start, self._lines[closing].end, UnitKind.CODE)
        return closing - place + 1

    def _is_wrapper(self, place: int, opening: Fence) -> bool:
        """Tell whether a fence opens an answer in Markdown, which ends with the answer's last fence that closes it."""
        if opening.info not in MARKDOWN_INFO or self._wrapper_end >= 0:
            return False
        inner = range(len(self._lines) - 1, place, -1)
        self._wrapper_end = next((at for at in inner if self._closes(at, opening)), len(self._lines))
        return True

    def _closes(self, place: int, opening: Fence) -> bool:
        fence = fence_of(self._lines[place])
        return fence is not None and fence.closes(opening)

    def _table(self, place: int) -> int:
        """Take a table and give the number of its lines, 0 if none begins here."""
        header = cells_of(self._lines[place].content)
        if not header or place + 1 == len(self._lines) or not is_separator(self._lines[place + 1].content):
            return 0
        for line in self._lines[place : place + 2]:
            self._add(line.content_start, line.content_end, UnitKind.TABLE_HEADER)
        count = 2
        for line in islice(self._lines, place + 2, None):
            cells = cells_of(line.content)
            if not cells:
                break
            statement = row_statement(header, cells)
            kind = UnitKind.TABLE_HEADER if statement is None else UnitKind.TABLE_ROW
            self._add(line.content_start, line.content_end, kind, statement)
            count += 1
        return count

    def _heading(self, place: int) -> int:
        """Take a heading and give the number of its lines, 0 if none begins here."""
        line = self._lines[place]
        marked = atx_heading(line)
        if marked is not None:
            self._add(*marked, UnitKind.HEADING)
            return 1
        underlined = self._is_underlined(place)
        if underlined or self._reads_like_heading(place):
            self._add(line.content_start + line.marker_length, line.content_end, UnitKind.HEADING)
            return 2 if underlined else 1
        return 0

    def _is_underlined(self, place: int) -> bool:
        line, below = self._lines[place], self._lines[place + 1 : place + 2]
        if not line.content or line.marker_length or not below or not below[0].is_underline:
            return False
        # in front of a horizontal rule a paragraph's last line is a heading by Markdown's letter, but not meant as one
        return below[0].content.startswith("=") or is_bold_heading(f"**{line.content.strip('*_')}**", below[0].content)

    def _reads_like_heading(self, place: int) -> bool:
        line = self._lines[place]
        if not line.content:
            return False
        below = next((at for at in self._following(place) if self._lines[at].content), None)
        following = None if below is None else self._lines[below]
        content = line.content[line.marker_length :]
        if is_bold_heading(content, None if following is None else following.content[following.marker_length :]):
            return True
        if line.marker_length or following is None or below is None or (place and self._is_paragraph(place - 1)):
            return False
        is_adjacent = below == place + 1 or following.marker_length > 0
        return is_adjacent and is_plain_heading(content, following)

    def _following(self, place: int) -> Sequence[int]:
        return range(place + 1, min(place + 1 + LOOK_AHEAD, len(self._lines)))

    def _is_paragraph(self, place: int) -> bool:
        return self._is_prose[place] and bool(self._lines[place].content)

    def _drawn(self, place: int) -> int:
        """Take a horizontal rule: 1, or 0 if the line is none."""
        return int(self._lines[place].is_rule)
