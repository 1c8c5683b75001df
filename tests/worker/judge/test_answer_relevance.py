"""Answer relevance by questions that a judge makes from the answer, against a local server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import (
    JudgedAnswerRelevanceDetails,
    JudgeStep,
    MetricName,
    MetricResult,
    SkipReason,
    Status,
)
from tests.worker.judge.conftest import ANSWER, QUESTIONS

if TYPE_CHECKING:
    from tests.worker.judge.conftest import Score
    from tests.worker.judge.judge_server import JudgeServer

A = MetricName.ANSWER_RELEVANCE


def details(metric: MetricResult) -> JudgedAnswerRelevanceDetails:
    assert isinstance(metric.details, JudgedAnswerRelevanceDetails)
    return metric.details


def test_the_mean_similarity_of_the_query_with_three_questions(server: JudgeServer, score: Score) -> None:
    metric = score(A)["answer_relevance"]
    # shares of the query's seven words
    assert [one.similarity for one in details(metric).questions] == pytest.approx([1, 3 / 7, 0], abs=1e-6)
    assert metric.score == pytest.approx(10 / 21, abs=1e-6)
    assert (metric.status, metric.threshold) == (Status.FAILURE, 0.5)
    assert metric.reason == (
        "The query is like the 3 questions that the answer would answer by 0.48 on average, 0.00 at least."
    )
    assert [one.question for one in details(metric).questions] == QUESTIONS["questions"]
    assert details(metric).relevance_model_id == "overlap"
    (asked,) = server.asked
    assert asked.given == {"answer": ANSWER, "count": 3}


def test_another_number_of_questions_is_asked_for_again_and_then_an_error(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.QUESTIONS, {"questions": ["When?"]}, QUESTIONS)
    assert score(A)["answer_relevance"].score is not None
    server.answer(JudgeStep.QUESTIONS, {"questions": ["When?"]})
    metric = score(A)["answer_relevance"]
    assert metric.error is not None
    assert metric.error.message.endswith("questions: 1 of them, where 3 are wanted")


def test_no_questions_are_an_error(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.QUESTIONS, {"questions": []})
    metric = score(A)["answer_relevance"]
    assert (metric.status, metric.score) == (Status.ERROR, None)
    assert metric.error is not None
    assert metric.error.code == "judge_empty"
    assert details(metric).judge.steps[0].raw == '{"questions": []}'


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"query": None}, SkipReason.QUERY_MISSING),
        ({"response_text": "I could not find anything about that."}, SkipReason.ABSTENTION),
    ],
)
def test_without_a_query_or_with_an_evasive_answer_nobody_is_asked(
    server: JudgeServer, score: Score, fields: dict[str, object], reason: SkipReason
) -> None:
    metric = score(A, **fields)["answer_relevance"]
    assert (metric.skip_reason, metric.score) == (reason, None)
    assert server.asked == []
