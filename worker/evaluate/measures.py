"""Measures of a score against labels: pure functions of arrays, without a model and without a report.

Everywhere `supported` [rows] is what people found and `values` [rows], 0..1, is what was measured; higher means more
surely supported, and supported is the positive class. A measure that a set does not have, as it holds rows of one
class only, is None and never a NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 10
"""Bins of equal width for calibration: ten tenths are what the literature uses most, and a plot can still show."""

MIDDLE = 0.5
"""Threshold that is preferred among equally good ones."""

GAIN_DIGITS = 12
"""Decimals to which shares are compared: far finer than one row among any number of them."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Rows by what people found and what was predicted.

    Attributes:
        true_supported: Found and predicted supported.
        false_supported: Predicted supported, found unsupported: what slipped through.
        true_unsupported: Found and predicted unsupported.
        false_unsupported: Predicted unsupported, found supported: the false alarms.
    """

    true_supported: int
    false_supported: int
    true_unsupported: int
    false_unsupported: int

    @property
    def supported_found(self) -> float | None:
        """Share of the supported rows that were predicted so (recall); None if there are none."""
        return _share(self.true_supported, self.true_supported + self.false_unsupported)

    @property
    def unsupported_found(self) -> float | None:
        """Share of the unsupported rows that were predicted so (specificity); None if there are none."""
        return _share(self.true_unsupported, self.true_unsupported + self.false_supported)

    @property
    def precision(self) -> float | None:
        """Share of the rows predicted supported that are so; None if none was."""
        return _share(self.true_supported, self.true_supported + self.false_supported)

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean of the shares found in either class: 0.5 is chance, whatever the classes' sizes."""
        if self.supported_found is None or self.unsupported_found is None:
            return None
        return (self.supported_found + self.unsupported_found) / 2

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall of the supported class; None if no row is or was predicted so."""
        wrong = self.false_supported + self.false_unsupported
        return _share(2 * self.true_supported, 2 * self.true_supported + wrong)

    @property
    def f1_unsupported(self) -> float | None:
        """The same for the unsupported class."""
        wrong = self.false_supported + self.false_unsupported
        return _share(2 * self.true_unsupported, 2 * self.true_unsupported + wrong)


@dataclass(frozen=True, slots=True)
class RocPoint:
    """What is found when every row from a value on is taken for supported.

    Attributes:
        threshold: That value.
        supported_found: Share of the supported rows at or above it.
        unsupported_passed: Share of the unsupported rows at or above it.
    """

    threshold: float
    supported_found: float
    unsupported_passed: float


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Rows whose values lie in one interval.

    Attributes:
        low: Where it begins.
        high: Where it ends; only the last one holds its end.
        rows: How many rows it has.
        mean_value: Their mean value; None without rows.
        supported_share: The share of them that people found supported; None without rows.
    """

    low: float
    high: float
    rows: int
    mean_value: float | None
    supported_share: float | None


def confusion(supported: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> Confusion:
    """Count rows by label and prediction [rows]."""
    return Confusion(
        true_supported=int(np.sum(supported & predicted)),
        false_supported=int(np.sum(~supported & predicted)),
        true_unsupported=int(np.sum(~supported & ~predicted)),
        false_unsupported=int(np.sum(supported & ~predicted)),
    )


def roc_auc(supported: NDArray[np.bool_], values: NDArray[np.float64]) -> float | None:
    """Give the probability that a supported row has a higher value than an unsupported one; a tie counts half.

    It depends on the order of the values alone: 0.5 is chance, 1 separates the classes without fault.
    """
    _, place = np.unique(values, return_inverse=True)
    above = np.bincount(place, weights=supported)
    below = np.bincount(place, weights=~supported)
    pairs = above.sum() * below.sum()
    if pairs == 0:
        return None
    lower = np.cumsum(below) - below
    return float(np.sum(above * (lower + below / 2)) / pairs)


def roc_curve(supported: NDArray[np.bool_], values: NDArray[np.float64]) -> tuple[RocPoint, ...]:
    """Give the point of each distinct value as the threshold, the highest first; none where a class has no rows."""
    distinct, place = np.unique(values, return_inverse=True)
    counts = [np.bincount(place, weights=rows, minlength=len(distinct))[::-1] for rows in (supported, ~supported)]
    if not all(count.sum() for count in counts):
        return ()
    found, passed = (np.cumsum(count) / count.sum() for count in counts)
    return tuple(RocPoint(*map(float, point)) for point in zip(distinct[::-1], found, passed, strict=True))


def best_threshold(supported: NDArray[np.bool_], values: NDArray[np.float64]) -> float | None:
    """Give the threshold with the highest balanced accuracy on these rows, a row at it counting as supported.

    It is a value that occurs; of several that are as good, the one nearest to 0.5. It is fitted to the very rows that
    it is measured on, so what it reaches there is a bound and no promise.
    """
    points = roc_curve(supported, values)
    if not points:
        return None

    def rank(point: RocPoint) -> tuple[float, float]:
        # rounded, as equally good points differ in their last bits
        gain = round(point.supported_found - point.unsupported_passed, GAIN_DIGITS)
        return gain, -abs(point.threshold - MIDDLE)

    return max(points, key=rank).threshold


def reliability(
    supported: NDArray[np.bool_], values: NDArray[np.float64], bins: int = BINS
) -> tuple[ReliabilityBin, ...]:
    """Sort the rows into `bins` intervals of equal width over 0..1 by their values."""
    place = np.minimum((values * bins).astype(np.int64), bins - 1)
    made = []
    for index in range(bins):
        inside = place == index
        rows = int(inside.sum())
        mean, share = (float(values[inside].mean()), float(supported[inside].mean())) if rows else (None, None)
        made.append(ReliabilityBin(index / bins, (index + 1) / bins, rows, mean, share))
    return tuple(made)


def expected_calibration_error(bins: tuple[ReliabilityBin, ...]) -> float | None:
    """Give the mean distance between the value of a bin and its share of supported rows, weighted by its rows.

    Naeini, Cooper and Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, AAAI 2015.
    """
    filled = [
        (b.rows, abs(b.mean_value - b.supported_share))
        for b in bins
        if b.mean_value is not None and b.supported_share is not None
    ]
    return _share(sum(rows * distance for rows, distance in filled), sum(rows for rows, _ in filled))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
