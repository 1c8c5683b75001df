"""Cutting a text into sentences, each a span of the text: the parts that all splitters share.

A text is first cut into blocks: at line breaks, at list items and after the full stops of scripts that put no space
behind them. No sentence crosses a block's border. A splitter then cuts the blocks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from groundwire.models.citation_marks import BEHIND_END

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SENTENCE_CHARS = 1000
"""Longest sentence. About 250 tokens of English, which is half of what the NLI model takes: the other half is left for
what the sentence is held against. Longer ones are lists, tables or text without punctuation, and are cut at spaces."""

SOFT_WRAP_CHARS = 40
"""A line at least this long without an end mark, before a line in lower case, is taken for one half of a sentence that
was wrapped at a fixed width; shorter lines are items of a list."""

END_MARKS = ".!?\u2026\u203c\u2047\u2048\u2049\u203d"
"""What ends a sentence in scripts that put a space behind it."""

CLOSERS = "\"'\u201d\u2019\u00bb)]}\u300d\u300f\uff09\u3011\u300b*_"
"""What may stand between an end mark and the space and still belongs to the sentence."""

LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line."""

UNMARKED_PIECE_CHARS = 200
"""Thai and Lao mark no end of a sentence, but put spaces between clauses: a stretch longer than this, some forty words,
is cut at a space. A shorter one is likely to be a single sentence."""

_UNMARKED = re.compile("[\u0e00-\u0eff]")

_MARKER = r"""(?:
    [-*+>\u00b7\u2013\u2014\u2022\u2023\u2043\u2219]  # bullets and dashes
    | [\u25a0\u25a1\u25aa\u25ab\u25b6\u25ba\u25c6\u25c7\u25cb\u25cf\u25e6\u27a2\u27a4]  # shapes
    | [\u2713\u2714\u2717\u2718]  # ticks
    | \#{1,6}                # Markdown headings
    | \[[\ xX]\]             # check boxes
    | \(?\d{1,3}[.)]         # 1. 1) (1)
    | (?:\d{1,3}\.){2,4}     # 1.2.
    | [\u2460-\u2473\u2776-\u2793]      # numbers in circles
    | \d\ufe0f?\u20e3         # numbers on keys
    | (?:\*\*|__)\(?(?:\d{1,3}|[a-zA-Z])[.)](?:\*\*|__)  # **1.**
    | \(?[a-zA-Z]\)          # a) (a)
    | \(?[ivxIVX]{1,5}\)     # iv) (iv)
    | (?:[ivx]{2,5}|[IVX]{2,5})\.  # iv. IV.
    | [a-z]\.(?=\s+[A-Z])    # a. before a capital: "p. 7" is no item
    | [a-zA-Z]\.(?=\s*\Z)    # a letter alone
)"""
MARKERS = re.compile(rf"(?:{_MARKER}(?=\s|\Z)\s*)+", re.VERBOSE)
"""The markers at the beginning of a list item, and the white space behind them."""

SPACELESS_MARKS = "\u3002\uff01\uff1f\uff61\u0964\u0965\u061f\u06d4\u1362\u104b\u17d4\u0589"
"""End marks of Chinese, Japanese, Devanagari, Arabic, Urdu, Ethiopic, Burmese, Khmer and Armenian."""

_SPACELESS_END = re.compile(
    rf"(?:[{SPACELESS_MARKS}]|\uff0e(?![0-9\uff10-\uff19]))++[{re.escape(CLOSERS)}]*+{BEHIND_END}*+"
)
_NUMBERED_ITEM = re.compile(r"\d{1,2}[.)]\s+(?=[A-Z])")
_LINE_END_MARKS = tuple(END_MARKS + SPACELESS_MARKS + ":;")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text, `text[start:end]`; offsets count code points."""

    start: int
    end: int


class Splitter(Protocol):
    """Cuts a text into sentences."""

    def split(self, text: str) -> list[Span]:
        """Give the sentences in order: disjoint, not blank, without white space at either end.

        Together they cover everything but white space and the markers of list items.
        """
        ...


def blocks(text: str) -> Iterator[Span]:
    """Cut a text where a sentence ends in any case; list markers are left out, blank blocks too."""
    start = 0
    for line in _joined_lines(text):
        start = _after_markers(text, line)
        for end_mark in _SPACELESS_END.finditer(text, start, line.end):
            yield from stripped(text, start, end_mark.end())
            start = end_mark.end()
        yield from stripped(text, start, line.end)


def is_list_marker(text: str) -> bool:
    """Tell whether a text is nothing but markers of list items, such as `2.` or `- [x]`."""
    return MARKERS.fullmatch(text) is not None


def stripped(text: str, start: int, end: int) -> Iterator[Span]:
    """Give the span without the white space at its ends, or nothing if it is blank."""
    part = text[start:end]
    inner = part.strip()
    if inner:
        start += len(part) - len(part.lstrip())
        yield Span(start, start + len(inner))


def finished(text: str, cuts: Iterator[Span]) -> list[Span]:
    """Bring raw sentences into their final form: no list markers, no blanks, none too long."""
    return [
        piece
        for cut in cuts
        for span in stripped(text, cut.start, cut.end)
        if not is_list_marker(text[span.start : span.end])
        for piece in _limited(text, _without_number(text, span))
    ]


def _without_number(text: str, span: Span) -> Span:
    """Leave out the number of an item that does not start a line, as in `Two steps: 1. Open it. 2. Close it.`."""
    number = _NUMBERED_ITEM.match(text, span.start, span.end)
    return Span(number.end(), span.end) if number else span


def _joined_lines(text: str) -> Iterator[Span]:
    """Give the lines of a text; those that were one line before it was wrapped at a fixed width are joined."""
    start = line_start = 0
    for line_break in LINE_BREAK.finditer(text):
        if not _is_soft_wrap(text, line_start, line_break):
            yield Span(start, line_break.start())
            start = line_break.end()
        line_start = line_break.end()
    yield Span(start, len(text))


def _is_soft_wrap(text: str, line_start: int, line_break: re.Match[str]) -> bool:
    following = line_break.end()
    while text[following : following + 1] in (" ", "\t"):
        following += 1
    if line_break.start() - line_start < SOFT_WRAP_CHARS or not text[following : following + 1].islower():
        return False
    line = text[line_start : line_break.start()].rstrip().rstrip(CLOSERS)
    return not line.endswith(_LINE_END_MARKS) and not MARKERS.match(text, following)


def _after_markers(text: str, line: Span) -> int:
    """Give the offset behind the white space and list markers at a line's start."""
    start = line.start
    while start < line.end and text[start].isspace():
        start += 1
    markers = MARKERS.match(text, start, line.end)
    return markers.end() if markers else start


def _limited(text: str, span: Span) -> Iterator[Span]:
    """Cut a sentence that is too long at its last white space before the limit, or at the limit if there is none."""
    if span.end - span.start <= UNMARKED_PIECE_CHARS:
        yield span
        return
    content = text[span.start : span.end]
    # other scripts end sentences by marks, and a quotation in Thai does not change that
    if not content.isascii() and len(_UNMARKED.findall(content)) > len(content) // 2:
        for piece in _cut(text, span, UNMARKED_PIECE_CHARS, anywhere=False):
            yield from _cut(text, piece, MAX_SENTENCE_CHARS, anywhere=True)
    else:
        yield from _cut(text, span, MAX_SENTENCE_CHARS, anywhere=True)


def _cut(text: str, span: Span, limit: int, *, anywhere: bool) -> Iterator[Span]:
    """Cut a span into pieces of at most `limit` characters, at white space; where there is none, only if `anywhere`."""
    start = span.start
    while span.end - start > limit:
        cut = start + limit
        while cut > start and not text[cut].isspace():
            cut -= 1
        if cut == start:
            cut = start + limit
            while not anywhere and cut < span.end and not text[cut].isspace():
                cut += 1
        yield from stripped(text, start, cut)
        start = cut
        while start < span.end and text[start].isspace():
            start += 1
    yield from stripped(text, start, span.end)
