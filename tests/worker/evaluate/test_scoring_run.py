"""What becomes of a row: value, verdict, nothing to score, error."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.schemas import MetricName
from groundwire.worker.evaluate.scoring_pool import ProcessEndedError, score_jobs, score_with
from groundwire.worker.evaluate.scoring_run import for_measuring, score_rows, scored_rows
from groundwire.worker.settings import WorkerSettings
from tests.worker.evaluate.written_verdicts import WrittenVerdicts, made_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.evaluate.scoring_run import ScoredRow

    ScoreWritten = Callable[..., tuple[ScoredRow, ...]]


@pytest.mark.parametrize(
    ("answer", "value", "predicted"),
    [
        ("0.9", 0.9, True),
        ("0.9 0.8 0.95", 0.8, True),
        ("0.9 0.2 0.95", 0.2, False),
        ("0.36", 0.36, True),  # the label goes by the highest of three probabilities, not by a half
        ("skip", 0.0, False),
    ],
)
def test_value_is_the_weakest_sentence_and_the_verdict_that_all_are_entailed(
    answer: str,
    value: float,
    predicted: bool,  # noqa: FBT001
    score_written: ScoreWritten,
) -> None:
    [scored] = score_written((True, answer))
    assert (scored.value, scored.predicted, scored.problem) == (value, predicted, None)


def test_nothing_to_score_is_told_from_an_error(score_written: ScoreWritten) -> None:
    skipped, error, fault, good = score_written((True, "skip"), (True, "error"), (True, "fault"), (True, "0.9"))
    assert (skipped.skip_reason, skipped.problem) == ("abstention", None)
    assert (error.skip_reason, error.problem) == (None, "it would take hours")
    assert (fault.result, fault.problem) == (None, "ZeroDivisionError in the scorer")
    assert good.predicted


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_rows_come_back_in_their_order(values: list[float]) -> None:
    rows = [made_row(line, supported=True, answer=f"{value:.6f}") for line, value in enumerate(values, 1)]
    scored = list(scored_rows(rows, score_with([row.job for row in rows], WrittenVerdicts)))
    assert [one.row for one in scored] == rows
    assert [one.value for one in scored] == [float(f"{value:.6f}") for value in values]


def test_a_scorer_is_loaded_once_and_only_for_a_row(score_written: ScoreWritten) -> None:
    [scored] = score_written((True, "0.9"))
    loaded: list[str] = []

    def load() -> Any:
        loaded.append("once")
        return Answering(scored)

    assert list(score_with([], load)) == []
    assert loaded == []
    assert len(list(score_with([scored.row.job] * 3, load))) == 3
    assert loaded == ["once"]


class Answering:
    """Gives every row the same result."""

    def __init__(self, scored: ScoredRow) -> None:
        self._result = scored.result

    def score(self, job: Any) -> Any:
        assert job is not None
        return self._result


def test_no_rows_need_no_model() -> None:
    assert list(score_rows([], WorkerSettings.from_env({"GROUNDWIRE_MODEL": "/nosuch"}), processes=2)) == []


class Deadly:
    """Ends the process that unpickles it, as the system ends one that takes too much memory."""

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return os._exit, (1,)


def test_a_process_that_is_ended_from_outside_is_told_as_that() -> None:
    jobs: list[Any] = [Deadly(), Deadly()]
    with pytest.raises(ProcessEndedError, match="a scoring process was ended from outside"):
        list(score_jobs(jobs, for_measuring(WorkerSettings.from_env({})), processes=2))


def test_accuracy_is_measured_on_the_verdict_itself() -> None:
    settings = for_measuring(WorkerSettings.from_env({"GROUNDWIRE_INCLUDE_TEXT": "false", "GROUNDWIRE_MODEL": "./m"}))
    assert (settings.min_context_chars, settings.min_completion_tokens, settings.min_sentence_words) == (0, 0, 1)
    assert settings.exhaustive
    assert settings.metrics == (MetricName.FAITHFULNESS,)
    assert (settings.threads, settings.model) == (1, "./m")
    assert for_measuring(WorkerSettings.from_env({"GROUNDWIRE_THREADS": "3"})).threads == 3
