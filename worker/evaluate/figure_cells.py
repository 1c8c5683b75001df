"""The figures of a set as a line of cells, for every table that shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.evaluate.figures import Figures
    from groundwire.worker.evaluate.report import Evaluated

COLUMNS = ("rows", "supported", "ROC AUC", "balanced accuracy", "best accuracy", "threshold", "F1", "ECE")
"""What `cells` gives: short names, so that a table fits a terminal of 80 columns."""

ABSENT = "-"


def cells(figures: Figures) -> tuple[str, ...]:
    """Give the figures in the order of `COLUMNS`, `-` for one that the rows don't have."""
    best = figures.best
    return (
        f"{figures.rows:,}",
        f"{figures.supported:,}",
        shown(figures.roc_auc),
        shown(figures.shipped.balanced_accuracy),
        ABSENT if best is None else shown(best.balanced_accuracy),
        ABSENT if best is None else shown(best.threshold),
        shown(figures.shipped.f1),
        shown(figures.calibration_error),
    )


def shown(value: float | None) -> str:
    """Give a figure with three decimals."""
    return ABSENT if value is None else f"{value:.3f}"


def notes(evaluated: Evaluated) -> list[str]:
    """Say in sentences what a reader of a file's figures has to know beside them."""
    figures, dataset = evaluated.figures, evaluated.dataset
    said = []
    if len(dataset.rows) < dataset.total:
        said.append(f"A sample of {len(dataset.rows):,} of {dataset.total:,} rows.")
    if figures.nothing_to_score:
        count = sum(figures.nothing_to_score.values())
        reasons = ", ".join(f"{reason} {number:,}" for reason, number in figures.nothing_to_score.items())
        counting = "counts" if count == 1 else "count"
        said.append(f"{_rows(count)} had nothing to score and {counting} as not supported, value 0: {reasons}.")
    if figures.in_error:
        names = ", ".join(_in_error(evaluated))
        said.append(
            f"{_rows(figures.in_error)} could not be scored and {_are(figures.in_error)} in no figure: {names}."
        )
    if figures.roc_auc is None:
        said.append("All rows have the same label, so there is no ROC AUC and no balanced accuracy.")
    return said


MAX_NAMED = 10
"""Rows in error that are named where a person reads; the JSON report has all of them."""


def _in_error(evaluated: Evaluated) -> Sequence[str]:
    names = [f"{one.row.name} ({one.problem})" for one in evaluated.scored if one.problem is not None]
    return names if len(names) <= MAX_NAMED else [*names[:MAX_NAMED], f"{len(names) - MAX_NAMED:,} more"]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
