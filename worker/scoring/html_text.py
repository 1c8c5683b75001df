"""HTML as plain text in which everything that stands on a line of its own in a browser does so here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from groundwire.worker.scoring.html_nesting import BLOCKS, limit_nesting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

CELL_SEPARATOR = " | "

VANISHING = frozenset({"iframe", "noscript", "script", "style", "template", "title"})
"""Elements whose content no reader sees as text of the page; the head has no other text."""

PREFORMATTED = frozenset({"pre", "textarea", "listing", "xmp"})
ROWS = frozenset({"tr"})
CELLS = frozenset({"td", "th"})
TEXT = "-text"

_SPACES = re.compile(r"\s+")
_NO_TEXT = "\u00ad"
"""Soft hyphens only say where a word may be broken."""


def html_to_text(html: str) -> str:
    """Turn HTML into text.

    Blocks, list items, table rows, headings and `br` keep their own lines, blank lines go; the cells of a row are
    joined by ` | `; `pre` keeps its lines and spaces; entities are decoded. Scripts, styles, templates, `noscript`
    and the head vanish. Tables that hold tables are taken for page layout: their cells have lines of their own.

    Args:
        html: A document or a fragment, however malformed.

    Returns:
        Text without blank lines and without line breaks at its ends; empty where there is none.
    """
    # before the body a parser takes `noscript` for a part of the head, and shows what is in it
    root = LexborHTMLParser(f"<body>{limit_nesting(html)}").root
    return "" if root is None else _Writer(_layout_tables(root)).write(root)


class _Writer:
    """Writes lines while the tree is walked."""

    def __init__(self, layout_tables: set[int]) -> None:
        self._layout_tables = layout_tables
        self._tables: list[bool] = []  # of the tables that are open: is it one of layout
        self._cells = 0  # that are open in data tables
        self._preformatted = 0
        self._lines: list[str] = []
        self._line: list[str] = []
        self._row_has_cell = False

    def write(self, root: LexborNode) -> str:
        for node, entering in _walk(root):
            tag = node.tag
            if tag == TEXT:
                self._text(node.text_content or "")
            elif tag is not None:
                self._element(node, tag, entering=entering)
        self._end_line()
        return "\n".join(self._lines)

    def _element(self, node: LexborNode, tag: str, *, entering: bool) -> None:
        in_layout = bool(self._tables and self._tables[-1])
        if tag in CELLS and self._tables and not in_layout:
            if entering and self._row_has_cell:
                self._line.append(CELL_SEPARATOR)
            self._row_has_cell = True
            self._cells += 1 if entering else -1
        elif tag in BLOCKS or tag == "br":
            self._break()
        if tag in ROWS:
            self._row_has_cell = False
        if tag == "table":
            if entering:
                self._tables.append(node.mem_id in self._layout_tables)
            else:
                self._tables.pop()
        if tag in PREFORMATTED:
            self._preformatted += 1 if entering else -1

    def _text(self, text: str) -> None:
        text = text.replace(_NO_TEXT, "")
        if not self._preformatted or self._cells:
            self._line.append(_SPACES.sub(" ", text))
            return
        first, *others = text.splitlines() or [""]
        self._line.append(first)
        for other in others:
            self._end_line()
            self._line.append(other)
        if text.endswith("\n"):
            self._end_line()

    def _break(self) -> None:
        """End the line, or in a cell only the word: a row is one line."""
        if self._cells:
            self._line.append(" ")
        else:
            self._end_line()

    def _end_line(self) -> None:
        line = "".join(self._line)
        line = line.rstrip() if self._preformatted else _SPACES.sub(" ", line).strip()
        if line:
            self._lines.append(line)
        self._line.clear()


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Visit every node in document order, elements also when they are left; what vanishes is left out.

    Iterates rather than recurses, and counts the depth: comparing nodes would compare their HTML.
    """
    node: LexborNode | None = root
    depth = 0
    while node is not None:
        child = None
        if node.tag not in VANISHING:
            yield node, True
            child = node.child
        if child is not None:
            node, depth = child, depth + 1
            continue
        while node is not None:
            if node.tag not in VANISHING and node.tag != TEXT:
                yield node, False
            if depth == 0:
                return
            if node.next is not None:
                node = node.next
                break
            node, depth = node.parent, depth - 1


def _layout_tables(root: LexborNode) -> set[int]:
    """Find the tables that hold tables."""
    found: set[int] = set()
    open_tables: list[int] = []
    for node, entering in _walk(root):
        if node.tag != "table":
            continue
        if entering:
            found.update(open_tables[-1:])
            open_tables.append(node.mem_id)
        else:
            open_tables.pop()
    return found
