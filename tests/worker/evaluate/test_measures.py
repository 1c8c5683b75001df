"""The laws of the measures, on any labels and values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from groundwire.worker.evaluate.measures import (
    Confusion,
    best_threshold,
    confusion,
    expected_calibration_error,
    reliability,
    roc_auc,
    roc_curve,
)

Labels = NDArray[np.bool_]
Values = NDArray[np.float64]

STEPS = 20
"""Values are multiples of a twentieth, so that ties are frequent."""


def as_arrays(rows: list[tuple[bool, int]]) -> tuple[Labels, Values]:
    return np.array([label for label, _ in rows], np.bool_), np.array([step / STEPS for _, step in rows], np.float64)


rows_of_any_label = st.lists(st.tuples(st.booleans(), st.integers(0, STEPS)), min_size=1, max_size=40).map(as_arrays)
rows_of_both_labels = rows_of_any_label.filter(lambda rows: len(set(rows[0].tolist())) == 2)


@given(rows_of_both_labels)
def test_auc_is_the_share_of_pairs_in_the_right_order(rows: tuple[Labels, Values]) -> None:
    labels, values = rows
    pairs = [(up, down) for up in values[labels] for down in values[~labels]]
    counted = sum((up > down) + 0.5 * (up == down) for up, down in pairs) / len(pairs)
    assert roc_auc(labels, values) == pytest.approx(counted)


@given(rows_of_both_labels)
def test_auc_goes_by_the_order_alone_and_turns_round_with_it(rows: tuple[Labels, Values]) -> None:
    labels, values = rows
    found = roc_auc(labels, values)
    assert found is not None
    assert 0 <= found <= 1
    assert roc_auc(labels, np.exp(3 * values) - 7) == pytest.approx(found)
    assert roc_auc(labels, 1 - values) == pytest.approx(1 - found)
    assert roc_auc(~labels, values) == pytest.approx(1 - found)


@given(rows_of_both_labels)
def test_auc_is_the_area_under_the_curve(rows: tuple[Labels, Values]) -> None:
    labels, values = rows
    points = roc_curve(labels, values)
    across = np.array([0.0, *(point.unsupported_passed for point in points)])
    up = np.array([0.0, *(point.supported_found for point in points)])
    assert (across[-1], up[-1]) == (1.0, 1.0)
    assert np.all(np.diff(across) >= 0)
    assert np.all(np.diff(up) >= 0)
    assert roc_auc(labels, values) == pytest.approx(float(np.sum(np.diff(across) * (up[1:] + up[:-1]) / 2)))


@given(rows_of_both_labels, st.floats(-0.1, 1.1))
def test_no_threshold_is_better_than_the_best(rows: tuple[Labels, Values], other: float) -> None:
    labels, values = rows
    best = best_threshold(labels, values)
    assert best is not None
    assert best in values
    reached = confusion(labels, values >= best).balanced_accuracy
    rival = confusion(labels, values >= other).balanced_accuracy
    assert reached is not None
    assert rival is not None
    assert reached >= rival - 1e-9
    assert reached >= 0.5


def test_of_equally_good_thresholds_the_middle_one_is_taken() -> None:
    labels = np.array([True, False] * 3)
    assert best_threshold(labels, np.array([0.1, 0.1, 0.6, 0.6, 0.9, 0.9])) == 0.6


@pytest.mark.parametrize("label", [True, False])
def test_rows_of_one_label_have_no_auc_no_curve_and_no_threshold(label: bool) -> None:  # noqa: FBT001
    labels, values = np.array([label] * 3), np.array([0.1, 0.5, 0.9])
    assert roc_auc(labels, values) is None
    assert roc_curve(labels, values) == ()
    assert best_threshold(labels, values) is None
    assert confusion(labels, values > 0.4).balanced_accuracy is None


def test_no_rows_have_no_measures_and_raise_nothing() -> None:
    labels, values = np.array([], np.bool_), np.array([], np.float64)
    assert roc_auc(labels, values) is None
    assert best_threshold(labels, values) is None
    assert expected_calibration_error(reliability(labels, values)) is None
    counts = confusion(labels, labels)
    assert (counts.f1, counts.f1_unsupported, counts.precision, counts.balanced_accuracy) == (None,) * 4


def test_the_figures_of_a_confusion() -> None:
    counts = Confusion(true_supported=6, false_supported=2, true_unsupported=8, false_unsupported=4)
    assert counts.supported_found == 0.6
    assert counts.unsupported_found == 0.8
    assert counts.precision == 0.75
    assert counts.balanced_accuracy == pytest.approx(0.7)
    assert counts.f1 == pytest.approx(2 * 0.6 * 0.75 / 1.35)
    assert counts.f1_unsupported == pytest.approx(16 / 22)


@given(rows_of_any_label, st.integers(0, STEPS))
def test_a_confusion_counts_every_row_once_and_swaps_with_the_classes(rows: tuple[Labels, Values], step: int) -> None:
    labels, values = rows
    counts, swapped = (confusion(a, b) for a, b in ((labels, values >= step / STEPS), (~labels, values < step / STEPS)))
    parts = (counts.true_supported, counts.false_supported, counts.true_unsupported, counts.false_unsupported)
    assert sum(parts) == len(labels)
    assert counts.true_supported + counts.false_unsupported == labels.sum()
    assert (counts.f1, counts.f1_unsupported) == (swapped.f1_unsupported, swapped.f1)
    assert counts.balanced_accuracy == swapped.balanced_accuracy


@given(rows_of_any_label, st.integers(1, 15))
def test_bins_hold_every_row_once_within_their_bounds(rows: tuple[Labels, Values], bins: int) -> None:
    labels, values = rows
    made = reliability(labels, values, bins)
    assert len(made) == bins
    assert (made[0].low, made[-1].high) == (0.0, 1.0)
    assert sum(one.rows for one in made) == len(labels)
    for one in made:
        assert (one.mean_value is None) == (one.supported_share is None) == (one.rows == 0)
        assert one.mean_value is None or one.low - 1e-9 <= one.mean_value <= one.high + 1e-9
    found = expected_calibration_error(made)
    assert found is not None
    assert 0 <= found <= 1


@given(st.lists(st.integers(0, 4), min_size=1, max_size=10))
def test_values_that_are_true_probabilities_have_no_calibration_error(quarters: list[int]) -> None:
    labels = np.array([place < quarter for quarter in quarters for place in range(4)])
    values = np.repeat(np.array(quarters) / 4, 4)
    assert expected_calibration_error(reliability(labels, values)) == pytest.approx(0, abs=1e-12)


def test_calibration_error_weighs_bins_by_their_rows() -> None:
    labels = np.array([True, True, False, True])
    values = np.array([0.95, 0.95, 0.95, 0.15])
    # three rows are 0.95 - 2/3 off, one is 0.85 off
    assert expected_calibration_error(reliability(labels, values)) == pytest.approx((3 * (0.95 - 2 / 3) + 0.85) / 4)


@given(rows_of_both_labels)
def test_calibration_error_of_opposite_answers_is_full(rows: tuple[Labels, Values]) -> None:
    labels, _ = rows
    assert expected_calibration_error(reliability(labels, (~labels).astype(np.float64))) == pytest.approx(1.0)
