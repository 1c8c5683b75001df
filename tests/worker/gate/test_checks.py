"""When a check passes, fails, or has no scores to go by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.worker.gate.checks import Outcome, Verdict
from groundwire.worker.gate.comparison import compare
from groundwire.worker.gate.scored import ScoredSet
from tests.worker.gate.conftest import held
from tests.worker.gate.made_scores import ERROR, SCORER, SKIP, made_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.gate.report import GateReport

scores = st.floats(0, 1).map(lambda score: round(score, 3))
columns = st.lists(st.one_of(scores, st.just(SKIP)), min_size=1, max_size=30)
GOOD = [0.8] * 40
RESAMPLED = settings(max_examples=12, deadline=None)
"""Each example draws tens of thousands of resamples."""


def outcomes(report: GateReport) -> dict[str, Outcome]:
    return {check.metric: check.outcome for check in report.checks}


def faithfulness(*rows: float | str) -> dict[str, Sequence[float | str]]:
    return {"faithfulness": rows}


@RESAMPLED
@given(columns, st.integers(0, 3))
def test_a_set_against_itself_never_fails(column: list[float | str], seed: int) -> None:
    report = held(made_set(faithfulness(*column)), held(made_set(faithfulness(*column))), seed=seed)
    assert Outcome.FAILED not in outcomes(report).values()
    assert (report.verdict is Verdict.INCOMPLETE) == (set(column) == {SKIP})


@RESAMPLED
@given(columns, st.data())
def test_missing_scores_never_pass(column: list[float | str], data: st.DataObject) -> None:
    baseline = held(made_set(faithfulness(*column)))
    spoiled = [*column]
    spoiled[data.draw(st.integers(0, len(column) - 1))] = ERROR
    minimum = {"faithfulness": 0.0}
    assert held(made_set(faithfulness(*spoiled)), baseline, minimum).verdict is Verdict.INCOMPLETE
    assert held(made_set(faithfulness(*[SKIP] * len(column))), None, minimum).verdict is Verdict.INCOMPLETE


@RESAMPLED
@given(st.integers(20, 200))
def test_one_row_in_twenty_that_falls_from_good_to_nothing_fails_whatever_the_size(size: int) -> None:
    fallen = -(-size // 20)
    baseline = held(made_set(faithfulness(*[0.8] * size)))
    for bad in (0.0, SKIP):
        now = [bad] * fallen + [0.8] * (size - fallen)
        assert outcomes(held(made_set(faithfulness(*now)), baseline)) == {"faithfulness": Outcome.FAILED}


@pytest.mark.parametrize(
    ("now", "outcome"),
    [
        ([0.8] * 38 + [0.5, 0.3], Outcome.PASSED),  # 0.02, which is not more than the tolerance
        ([0.8] * 38 + [0.3, 0.2], Outcome.FAILED),  # 0.0275, no row rose, and more than two thirds are lost
        ([0.8] * 38 + [0.5, 0.2], Outcome.PASSED),  # 0.0225, but two rows that lost half of it can be noise
        ([0.6] * 9 + [0.9] * 8 + [0.8] * 23, Outcome.FAILED),  # 0.025, and it is clear all the same
        ([0.0, 0.0, 0.0] + [1.0] * 5 + [0.8] * 32, Outcome.PASSED),  # 0.035, but the ups and downs are as large
    ],
)
def test_a_drop_fails_beyond_the_tolerance_if_it_is_more_than_noise(now: list[float], outcome: Outcome) -> None:
    report = held(made_set(faithfulness(*now)), held(made_set(faithfulness(*GOOD))))
    assert outcomes(report) == {"faithfulness": outcome}


def test_what_may_be_noise_is_said() -> None:
    now = [0.0, 0.0, 0.0] + [1.0] * 5 + [0.8] * 32
    [check] = held(made_set(faithfulness(*now)), held(made_set(faithfulness(*GOOD)))).checks
    assert check.reason.startswith(
        "dropped by 0.0350 from 0.8000 over 40 rows (3 fell, 5 rose); this can be noise, as "
    )


def test_noise_fails_one_run_in_twenty_at_most() -> None:
    generator = np.random.default_rng(5)
    failed = 0
    for _ in range(60):
        before, now = np.clip(generator.normal(0.7, 0.25, (2, 60)), 0, 1)
        drop = compare(dict(enumerate_ids(before)), dict(enumerate_ids(now)), 0)
        failed += drop.is_regression(0.02, 1)
    assert failed <= 7


def enumerate_ids(values: Sequence[float]) -> list[tuple[str, float]]:
    return [(f"r{number}", float(value)) for number, value in enumerate(values)]


def test_rows_are_paired_by_id_and_others_are_named() -> None:
    baseline = held(made_set(faithfulness(0.2, 0.8, 0.5), ids=["a", "b", "gone"]))
    report = held(made_set(faithfulness(0.8, 0.2, 0.1), ids=["b", "a", "new"]), baseline)
    assert report.verdict is Verdict.INCOMPLETE
    assert report.checks[0].reason == (
        "1 of the 3 rows with a score then is not in the file; put back what is missing, or make a baseline of the "
        "rows that there are (without: has not moved from 0.5000 over 2 rows (0 fell, 0 rose))"
    )
    assert report.notes == (
        "1 row of the baseline's 3 are not scored here, and are not compared.",
        "1 row of 3 are not in the baseline, and are not compared.",
    )


@RESAMPLED
@given(st.integers(2, 20), st.data())
def test_a_release_never_passes_by_leaving_out_rows_but_a_sample_of_all_may(size: int, data: st.DataObject) -> None:
    whole = made_set(faithfulness(*[0.8] * size))
    baseline = held(whole)
    kept = data.draw(st.integers(1, size - 1))
    assert held(made_set(faithfulness(*[0.8] * kept)), baseline).verdict is Verdict.INCOMPLETE
    drawn = {row.id for row in whole.answers.sample(kept, 3).rows}
    sampled = ScoredSet(whole.answers.sample(kept, 3), tuple(one for one in whole.scored if one.row.id in drawn))
    assert held(sampled, baseline).verdict is Verdict.PASSED
    assert held(whole, held(sampled)).verdict is Verdict.PASSED


def test_a_release_that_has_dropped_and_leaves_out_rows_has_failed() -> None:
    baseline = held(made_set(faithfulness(*GOOD)))
    assert held(made_set(faithfulness(*[0.1] * 39)), baseline).verdict is Verdict.FAILED


def test_metrics_that_were_left_out_are_named() -> None:
    baseline = held(made_set(faithfulness(0.8) | {"groundedness": [0.5], "completeness": [SKIP]}))
    assert held(made_set(faithfulness(0.8)), baseline).notes == ("Of the baseline groundedness is not computed here.",)


def test_without_a_row_in_common_the_gate_is_incomplete() -> None:
    baseline = held(made_set(faithfulness(0.8), ids=["a"]))
    report = held(made_set(faithfulness(0.8), ids=["b"]), baseline)
    assert report.verdict is Verdict.INCOMPLETE
    assert report.checks[0].reason == "of the 1 rows with a score then, none has a result now"


def test_scores_of_another_scorer_are_not_compared() -> None:
    baseline = held(made_set(faithfulness(0.8)))
    for field, what in (("profile", "profile"), ("config_hash", "configuration"), ("model_sha256", "model")):
        other = baseline.model_copy(update={"scorer": SCORER.model_copy(update={field: "other"})})
        report = held(made_set(faithfulness(0.8)), other)
        assert report.verdict is Verdict.INCOMPLETE
        assert report.checks[0].reason.startswith(f"the baseline was scored with another {what};")


def test_a_baseline_without_any_common_metric_is_incomplete() -> None:
    report = held(made_set({"groundedness": [0.5]}), held(made_set(faithfulness(0.8))))
    assert outcomes(report) == {"groundedness": Outcome.MISSING}


def test_minimums_hold_for_means_and_the_triad() -> None:
    scored = made_set({"faithfulness": [1.0, 0.8], "context_relevance": [0.5, SKIP], "answer_relevance": [0.4, 0.2]})
    minimum = {"faithfulness": 0.9, "context_relevance": 0.51, "triad": 0.56, "completeness": 0.1}
    report = held(scored, None, minimum)
    assert report.triad.mean == pytest.approx((0.9 + 0.5 + 0.3) / 3)
    assert outcomes(report) == {
        "faithfulness": Outcome.PASSED,
        "context_relevance": Outcome.FAILED,
        "triad": Outcome.PASSED,
        "completeness": Outcome.MISSING,
    }
    assert report.verdict is Verdict.INCOMPLETE
    assert report.metrics["context_relevance"].skipped == {"abstention": 1}
    assert "context_relevance has nothing to score in 1 of 2 rows: abstention 1." in report.notes


def test_intervals_hold_the_mean_and_shrink_with_more_rows() -> None:
    few, many = (held(made_set(faithfulness(*[0.2, 0.9] * pairs))).metrics["faithfulness"] for pairs in (5, 50))
    for summary in (few, many):
        assert summary.interval is not None
        assert summary.interval.low < 0.55 < summary.interval.high
    assert many.interval is not None
    assert few.interval is not None
    assert many.interval.high - many.interval.low < (few.interval.high - few.interval.low) / 2
