"""Bootstrap: how far a mean would move if other rows of the same kind had been drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

RESAMPLES = 10_000
"""The share of resamples that decides lies near 0.05 and then has a standard error of 0.002."""

CHUNK_CELLS = 4_000_000
"""Rows times resamples at a time: 32 MB."""

CONFIDENCE = 0.95
"""Of the intervals: their ends are the 2.5th and the 97.5th percentile."""


class Interval(NamedTuple):
    """Where a mean lies with 95 % confidence."""

    low: float
    high: float


def resampled_means(scores: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Draw the rows with replacement, RESAMPLES times, and take the means.

    Args:
        scores: Scores [rows, columns]; NaN where there is none, which is in no mean.
        seed: What they are drawn by; the same seed and scores give the same means.

    Returns:
        Means [RESAMPLES, columns]; NaN where a draw has no score of a column.
    """
    known = ~np.isnan(scores)
    values = np.where(known, scores, 0.0)
    drawn = [(times @ values, times @ known) for times in _times_drawn(len(scores), seed)]
    sums = np.concatenate([total for total, _ in drawn])
    counts = np.concatenate([count for _, count in drawn])
    means: NDArray[np.float64] = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    return means


def interval(means: NDArray[np.float64]) -> Interval | None:
    """Give the percentile interval of resampled means [RESAMPLES]; None where no draw has one."""
    known = means[~np.isnan(means)]
    if not len(known):
        return None
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high))


def _times_drawn(rows: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """How often each row is in each resample [resamples, rows], in chunks."""
    generator = np.random.default_rng(seed)
    left = RESAMPLES
    while left:
        count = min(left, max(1, CHUNK_CELLS // rows))
        yield generator.multinomial(rows, np.full(rows, 1 / rows), size=count).astype(np.float64)
        left -= count
