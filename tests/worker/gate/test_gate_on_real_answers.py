"""The gate on real scores of a hundred good answers: what must fail fails, and what must not does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.worker.gate.checks import CheckKind, Outcome, Verdict
from tests.worker.gate.conftest import held
from tests.worker.gate.shipped_answers import SPOILED, SPOILED_IN_PART, good_answers, spoil

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.gate.report import GateReport
    from groundwire.worker.gate.rows import AnswerSet
    from groundwire.worker.gate.scored import ScoredSet

    Read = Callable[..., AnswerSet]
    Score = Callable[[AnswerSet], ScoredSet]


@pytest.fixture
def baseline(read: Read, score_once: Score) -> GateReport:
    return held(score_once(read(good_answers())))


@pytest.mark.parametrize("seed", range(5))
def test_a_set_against_itself_never_fails(seed: int, read: Read, score_once: Score, baseline: GateReport) -> None:
    report = held(score_once(read(good_answers())), baseline, seed=seed)
    assert report.verdict is Verdict.PASSED
    assert [check.value for check in report.checks] == [0.0] * 6


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", SPOILED)
def test_one_answer_in_twenty_spoiled_fails(
    way: str, seed: int, read: Read, score_once: Score, baseline: GateReport
) -> None:
    report = held(score_once(read(spoil(good_answers(), way, 0.05, seed))), baseline)
    assert report.verdict is Verdict.FAILED
    [worst] = sorted(report.checks, key=lambda check: -(check.value or 0))[:1]
    assert worst.outcome is Outcome.FAILED
    assert worst.kind is CheckKind.BASELINE


@pytest.mark.parametrize("way", SPOILED_IN_PART)
def test_answers_spoiled_in_part_fail_a_smaller_tolerance(
    way: str, read: Read, score_once: Score, baseline: GateReport
) -> None:
    spoiled = score_once(read(spoil(good_answers(), way, 0.05, 3)))
    assert held(spoiled, baseline, tolerance=0.01).verdict is Verdict.FAILED
    assert held(score_once(read(good_answers())), baseline, tolerance=0.0).verdict is Verdict.PASSED


def test_other_answers_that_are_as_good_pass(read: Read, score_once: Score, baseline: GateReport) -> None:
    assert held(score_once(read(good_answers(seed=2))), baseline).verdict is Verdict.PASSED


def test_the_same_seed_gives_the_same_report_to_the_last_digit(
    read: Read, score_once: Score, baseline: GateReport
) -> None:
    scored = score_once(read(spoil(good_answers(), "swapped", 0.05, 0)))
    first, second = (held(scored, baseline, {"triad": 0.3}, seed=7) for _ in range(2))
    assert first.model_copy(update={"evaluated_at": ""}) == second.model_copy(update={"evaluated_at": ""})
