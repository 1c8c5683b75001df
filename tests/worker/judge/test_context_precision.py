"""Context precision by a judge, against a local server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import (
    JudgedContextPrecisionDetails,
    JudgeStep,
    MetricName,
    MetricResult,
    SkipReason,
    Status,
)
from tests.worker.judge.conftest import CONTEXTS, QUERY, relevances

if TYPE_CHECKING:
    from tests.worker.judge.conftest import Score
    from tests.worker.judge.judge_server import JudgeServer

P = MetricName.CONTEXT_PRECISION


def details(metric: MetricResult) -> JudgedContextPrecisionDetails:
    assert isinstance(metric.details, JudgedContextPrecisionDetails)
    return metric.details


def test_the_judge_marks_each_context_by_its_index(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.RELEVANCE, relevances(i1=True, i0=False))
    metric = score(P)["context_precision"]
    assert (metric.score, metric.status) == (0.5, Status.SUCCESS)
    assert metric.reason == "The judge found 1 of 2 chunks relevant to the query, not chunk 1."
    found = details(metric)
    assert [(one.index, one.context_id, one.relevant) for one in found.evaluations] == [
        (0, "c0", False),
        (1, "c1", True),
    ]
    assert found.mean_precision_at_k == 0.5
    assert [one.step for one in found.judge.steps] == [JudgeStep.RELEVANCE]
    (asked,) = server.asked
    assert asked.given["question"] == QUERY
    assert [one["index"] for one in asked.given["contexts"]] == [0, 1]
    assert asked.given["contexts"][1]["text"] == "It holds forty fishing boats in winter."


def test_one_string_is_one_context(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.RELEVANCE, relevances(i0=True))
    text = "The harbour of Vardal was dug in 1870 by hand, and it holds forty boats."
    metric = score(P, contexts=None, rag_context=text)["context_precision"]
    assert metric.score == 1.0
    assert server.asked[0].given["contexts"] == [{"index": 0, "text": text}]


def test_a_chunk_without_text_is_irrelevant_and_not_asked_about(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.RELEVANCE, relevances(i1=True, i2=True))
    metric = score(P, contexts=["  ", *CONTEXTS])["context_precision"]
    assert metric.score == pytest.approx(2 / 3)
    assert [one["index"] for one in server.asked[0].given["contexts"]] == [1, 2]


@pytest.mark.parametrize(
    "wrong",
    [
        relevances(i0=True),
        relevances(i0=True, i2=True),
        relevances(i0=True, i1=True, i2=False),
        {"verdicts": [{"index": 0, "relevant": True}, {"index": 0, "relevant": False}]},
        {"verdicts": [{"index": 0, "relevant": "rather"}, {"index": 1, "relevant": True}]},
        {"score": 0.9},
    ],
)
def test_verdicts_that_are_not_one_for_each_context_are_an_error(
    server: JudgeServer, score: Score, wrong: dict[str, Any]
) -> None:
    server.answer(JudgeStep.RELEVANCE, wrong)
    metric = score(P)["context_precision"]
    assert (metric.score, metric.status) == (None, Status.ERROR)
    assert metric.error is not None
    assert metric.error.code == "judge_malformed"
    assert details(metric).evaluations == ()
    assert len(details(metric).judge.steps) == 2


def test_a_response_without_verdicts_is_an_error(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.RELEVANCE, {"verdicts": []})
    metric = score(P)["context_precision"]
    assert (metric.score, metric.status) == (None, Status.ERROR)
    assert metric.error is not None
    assert metric.error.message == "step relevance: the judge gave no verdicts"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"query": " "}, SkipReason.QUERY_MISSING), ({"contexts": []}, SkipReason.RAG_CONTEXT_NULL)],
)
def test_without_query_or_context_nobody_is_asked(
    server: JudgeServer, score: Score, fields: dict[str, object], reason: SkipReason
) -> None:
    metric = score(P, **fields)["context_precision"]
    assert (metric.skip_reason, metric.score) == (reason, None)
    assert server.asked == []
