"""Tables in Markdown: a row states what its cells say under their headers."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SEPARATOR = re.compile(r"(?=[^|]*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_BORDER = re.compile(r"(?<!\\)\|")

COUNTERS = frozenset({"#", "no.", "no", "nr.", "nr"})
"""Headers of a column that numbers the rows, which states nothing."""


TICKS = {
    **dict.fromkeys("\u2713\u2714\u2705\u2611", "yes"),
    **dict.fromkeys("\u2717\u2718\u274c\u274e\u2715\u2716", "no"),
}
"""What a cell that is nothing but a tick or a cross says."""

PLACEHOLDERS = frozenset({"", "-", "--", "\u2013", "\u2014", "\u2212", "n/a", "...", "\u2026"})
"""What stands in a cell that says nothing, in lower case."""


MAX_HEADER_CHARS = 100
"""A longer cell names no column, and would stand in the statement of each row."""


def is_separator(content: str) -> bool:
    """Tell whether a line separates a table's header from its rows, as `|---|:-:|` does."""
    return _SEPARATOR.match(content) is not None


def cells_of(content: str) -> list[str]:
    r"""Give the cells of a line of a table, trimmed; none if it has no border. `\|` is a part of a cell."""
    cells = [cell.strip().replace(r"\|", "|") for cell in _BORDER.split(content)]
    if len(cells) == 1:
        return []
    first = 1 if not cells[0] else 0
    last = len(cells) - 1 if not cells[-1] else len(cells)
    return cells[first:last]


def row_statement(header: Sequence[str], row: Sequence[str]) -> str | None:
    """Say what a row states: `Plan: Starter; Seats: 15`.

    With the embedded model this form does as well as a sentence such as "Starter has 15 seats."

    Args:
        header: The cells of the table's header.
        row: The cells of the row; a cell without header stands alone, an empty one or a dash is left out, a tick is a
            yes.

    Returns:
        None if fewer than two cells, of several, say something: then the row is a heading inside the table.
    """
    names = ["" if len(name) > MAX_HEADER_CHARS else name for name in header[: len(row)]]
    said = [TICKS.get(cell.rstrip("\ufe0e\ufe0f"), cell) for cell in row]
    stated = [
        f"{name}: {cell}" if name else cell
        for name, cell in zip_longest(names, said, fillvalue="")
        if cell.lower() not in PLACEHOLDERS and name.lower() not in COUNTERS
    ]
    return "; ".join(stated) if len(stated) >= min(2, len(header)) else None
