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
        row: The cells of the row; a cell without header stands alone, an empty one is left out.

    Returns:
        None if fewer than two cells, of several, say something: then the row is a heading inside the table.
    """
    stated = [
        f"{name}: {cell}" if name else cell
        for name, cell in zip_longest(header, row, fillvalue="")
        if cell and name.lower() not in COUNTERS
    ]
    return "; ".join(stated) if len(stated) >= min(2, len(header)) else None
