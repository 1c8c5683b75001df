"""The figures of labelled rows: all of a set, or those of one source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping  # noqa: TC003 - pydantic reads the annotations of `Figures` at run time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groundwire.worker.evaluate.measures import (
    Confusion,
    ReliabilityBin,
    best_threshold,
    confusion,
    expected_calibration_error,
    reliability,
    roc_auc,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groundwire.worker.evaluate.scoring_run import ScoredRow

NO_SOURCE = "(none)"
"""What the rows that name no source are listed under, where others do."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How one way of telling supported from unsupported rows does.

    Attributes:
        threshold: Value from which on a row is taken for supported; None: by the labels of its sentences.
        confusion: Rows by label and verdict.
        balanced_accuracy: Mean of the shares found in either class, 0..1; None where a class has no rows.
        f1: Harmonic mean of precision and recall of the supported class.
        f1_unsupported: The same for the unsupported class.
    """

    threshold: float | None
    confusion: Confusion
    balanced_accuracy: float | None
    f1: float | None
    f1_unsupported: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything measured on some rows. Rows in error are in none of it but their count.

    Attributes:
        rows: How many rows were measured.
        supported: How many of them people found supported.
        in_error: How many more rows have no verdict.
        nothing_to_score: Skip reason to the number of rows, which count with the value 0, as not supported.
        roc_auc: Area under the ROC curve of the value; None where a class has no rows.
        shipped: The verdict as shipped.
        best: The verdict at the threshold with the highest balanced accuracy on these rows; None where a class has
            no rows.
        calibration_error: Expected calibration error of the value as the probability of being supported.
        reliability: The bins that it was computed from.
    """

    rows: int
    supported: int
    in_error: int
    nothing_to_score: Mapping[str, int]
    roc_auc: float | None
    shipped: Verdicts
    best: Verdicts | None
    calibration_error: float | None
    reliability: tuple[ReliabilityBin, ...]


def arrays(scored: Sequence[ScoredRow]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Give labels and values [rows] of the rows that have a verdict."""
    measured = [one for one in scored if one.problem is None]
    labels = np.array([one.row.supported for one in measured], dtype=np.bool_)
    return labels, np.array([one.value for one in measured], dtype=np.float64)


def figures_of(scored: Sequence[ScoredRow]) -> Figures:
    """Compute the figures of some rows."""
    labels, values = arrays(scored)
    predicted = np.array([one.predicted for one in scored if one.problem is None], dtype=np.bool_)
    threshold = best_threshold(labels, values)
    bins = reliability(labels, values)
    reasons = Counter(one.skip_reason for one in scored if one.problem is None and one.skip_reason is not None)
    return Figures(
        rows=len(labels),
        supported=int(labels.sum()),
        in_error=len(scored) - len(labels),
        nothing_to_score=dict(sorted(reasons.items())),
        roc_auc=roc_auc(labels, values),
        shipped=_verdicts(None, confusion(labels, predicted)),
        best=None if threshold is None else _verdicts(threshold, confusion(labels, values >= threshold)),
        calibration_error=expected_calibration_error(bins),
        reliability=bins,
    )


def figures_by_source(scored: Sequence[ScoredRow]) -> dict[str, Figures]:
    """Compute the figures of each source by its name, in alphabetical order; none where no row names a source."""
    groups: dict[str, list[ScoredRow]] = {}
    for one in scored:
        groups.setdefault(one.row.source or NO_SOURCE, []).append(one)
    if set(groups) == {NO_SOURCE}:
        return {}
    return {name: figures_of(groups[name]) for name in sorted(groups)}


def worst_misses(scored: Sequence[ScoredRow], limit: int) -> tuple[list[ScoredRow], list[ScoredRow]]:
    """Give the rows that the shipped verdict gets wrong, the farthest off first.

    Returns:
        Up to `limit` unsupported rows that were let through, and as many supported ones that were not.
    """
    wrong = [one for one in scored if one.problem is None and one.predicted != one.row.supported]
    passed = sorted((one for one in wrong if one.predicted), key=lambda one: -one.value)
    alarms = sorted((one for one in wrong if not one.predicted), key=lambda one: one.value)
    return passed[:limit], alarms[:limit]


def _verdicts(threshold: float | None, counts: Confusion) -> Verdicts:
    return Verdicts(threshold, counts, counts.balanced_accuracy, counts.f1, counts.f1_unsupported)
