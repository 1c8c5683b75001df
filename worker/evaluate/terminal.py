"""The figures as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from groundwire.worker.evaluate.figure_cells import COLUMNS, cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.worker.evaluate.figures import Figures
    from groundwire.worker.evaluate.report import Evaluated


def files_table(evaluated: Sequence[Evaluated]) -> Table:
    """Return one line for each file."""
    return _table("file", "", [(one.dataset.name, one.figures) for one in evaluated])


def sources_table(name: str, sources: Mapping[str, Figures]) -> Table:
    """Return one line for each source of a file."""
    return _table("source", f"{name} by source", list(sources.items()))


def confusion_line(figures: Figures) -> str:
    """Say how many rows of either class the shipped verdict finds."""
    counts = figures.shipped.confusion
    unsupported = figures.rows - figures.supported
    return (
        f"as shipped, finds {counts.true_supported:,} of {figures.supported:,} supported and "
        f"{counts.true_unsupported:,} of {unsupported:,} unsupported rows"
    )


def _table(first: str, title: str, lines: Sequence[tuple[str, Figures]]) -> Table:
    table = Table(title=Text(title) if title else None, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(first, overflow="fold")
    for column in COLUMNS:
        # a narrow terminal breaks names, and cuts no word of a heading
        table.add_column(column, justify="right", min_width=max(map(len, column.split())))
    for name, figures in lines:
        table.add_row(Text(name), *cells(figures))
    return table
