"""A release against an earlier one, row by row: has a metric dropped, and by more than noise?

Both have scores of the same rows, told by their ids. What counts is the mean of the drops, a drop being the earlier
score minus the present one. A row that had a score and has none now, as its answer is gone or abstains, counts as a
drop of the whole score: else a release would pass by answering less. A row in error is left out; the gate is
incomplete then anyway.

A drop of more than the tolerance fails where it is more than noise. It is, if no row has risen, as noise goes both
ways; or if a paired bootstrap over the rows says so: the share of resamples without a drop is below `NOISE_LEVEL`
divided by the number of metrics that are compared (Bonferroni). So a release that is as good as the earlier one fails
by chance in at most about one of twenty runs, however many metrics there are. The first rule is what makes small sets
count: of two rows that fell, no test can tell.
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
        by_chance: Share of resamples in which the mean has not dropped, 0..1.
    """

    rows: int
    before: float | None
    drop: float
    fell: int
    rose: int
    lost: int
    by_chance: float

    def is_regression(self, tolerance: float, compared: int) -> bool:
        """Tell whether the metric has dropped by more than the tolerance, and by more than noise.

        Args:
            tolerance: The drop that passes, 0..1.
            compared: How many metrics are compared.
        """
        if self.drop <= tolerance + ROUNDING:
            return False
        return self.rose == 0 or self.by_chance < NOISE_LEVEL / compared


def compare(before: Mapping[str, float], now: Mapping[str, float | None], seed: int) -> Drop:
    """Compare a metric's scores row by row.

    Args:
        before: Scores of the earlier release by the row's id, 0..1; rows without one are not in it.
        now: Present scores; None where the metric was skipped. Rows in error are not in it.
        seed: What the resamples are drawn by.
    """
    ids = sorted(before.keys() & now.keys())
    if not ids:
        return Drop(rows=0, before=None, drop=0.0, fell=0, rose=0, lost=0, by_chance=1.0)
    then = np.array([before[row] for row in ids])
    drops = then - np.array([now[row] or 0.0 for row in ids])
    changed = drops[np.abs(drops) > UNCHANGED]
    resampled = resampled_means(drops[:, None], seed)[:, 0] if len(changed) else np.zeros(1)
    return Drop(
        rows=len(ids),
        before=float(then.mean()),
        drop=float(drops.mean()),
        fell=int((changed > 0).sum()),
        rose=int((changed < 0).sum()),
        lost=sum(now[row] is None for row in ids),
        by_chance=float((resampled <= 0).mean()),
    )
