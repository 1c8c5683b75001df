"""A release against an earlier one, row by row: has a metric dropped, and by more than noise?

Both have scores of the same rows, told by their ids. What counts is the mean of the drops, a drop being the earlier
score minus the present one. A row that had a score and has none now, as its answer is gone or abstains, counts as a
drop of the whole score: else a release would pass by answering less. A row in error is left out; the gate is
incomplete then anyway.

A drop of more than the tolerance fails where it is more than noise. A paired bootstrap over the rows says so: the
share of resamples without a drop is below `NOISE_LEVEL` divided by the number of metrics that are compared
(Bonferroni), so that more metrics do not make more builds fail by chance. Of one to four rows that fell no test can
tell, and yet they may be a twentieth of a small set. So a drop fails as well where no row has risen and those that
fell have lost more than two thirds of their score, taken together: noise goes both ways, and takes a part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groundwire.worker.gate.resampling import resampled_means

if TYPE_CHECKING:
    from collections.abc import Mapping

NOISE_LEVEL = 0.05
"""Share of runs that may fail by chance, over all metrics together."""

COLLAPSED = 2 / 3
"""Share of their score that rows lose when their answers are spoiled as a whole: in trials with noise of a standard
deviation of 0.25 on a tenth to all of 5 to 100 rows, few rows that fell by chance had lost that much."""

UNCHANGED = 0.005
"""A score that moved by less is the same to two places, as scores are shown."""

ROUNDING = 1e-9
"""Sums of the same numbers in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Drop:
    """What became of a metric between two releases.

    Attributes:
        rows: Rows that had a score then, and are in both sets without an error.
        before: Their mean then; None where there are no such rows.
        drop: Mean of the drops, negative for a rise.
        fell: Rows whose score is lower now, lost ones among them.
        rose: Rows whose score is higher now.
        lost: Rows that have no score now.
        collapse: Share of their score that the rows that fell have lost, taken together, 0..1; 0 where none fell.
        by_chance: Share of resamples in which the mean has not dropped, 0..1.
    """

    rows: int
    before: float | None
    drop: float
    fell: int
    rose: int
    lost: int
    collapse: float
    by_chance: float

    def is_regression(self, tolerance: float, compared: int) -> bool:
        """Tell whether the metric has dropped by more than the tolerance, and by more than noise.

        Args:
            tolerance: The drop that passes, 0..1.
            compared: How many metrics are compared.
        """
        if self.drop <= tolerance + ROUNDING:
            return False
        has_collapsed = self.rose == 0 and self.collapse > COLLAPSED + ROUNDING
        return has_collapsed or self.by_chance < NOISE_LEVEL / compared


def compare(before: Mapping[str, float], now: Mapping[str, float | None], seed: int) -> Drop:
    """Compare a metric's scores row by row.

    Args:
        before: Scores of the earlier release by the row's id, 0..1; rows without one are not in it.
        now: Present scores; None where the metric was skipped. Rows in error are not in it.
        seed: What the resamples are drawn by.
    """
    ids = sorted(before.keys() & now.keys())
    if not ids:
        return Drop(rows=0, before=None, drop=0.0, fell=0, rose=0, lost=0, collapse=0.0, by_chance=1.0)
    then = np.array([before[row] for row in ids])
    drops = then - np.array([now[row] or 0.0 for row in ids])
    fell, rose = drops > UNCHANGED, drops < -UNCHANGED
    resampled = resampled_means(drops[:, None], seed)[:, 0] if fell.any() else np.zeros(1)
    return Drop(
        rows=len(ids),
        before=float(then.mean()),
        drop=float(drops.mean()),
        fell=int(fell.sum()),
        rose=int(rose.sum()),
        lost=sum(now[row] is None for row in ids),
        collapse=float(drops[fell].sum() / then[fell].sum()) if fell.any() else 0.0,
        by_chance=float((resampled <= 0).mean()),
    )
