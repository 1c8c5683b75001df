"""Context relevance and precision: what is retrieved, held against the query."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.schemas import (
    ContextPrecisionDetails,
    ContextRelevanceDetails,
    Job,
    MetricName,
    MetricResult,
    ProfileName,
    Status,
)
from groundwire.worker.scoring.context_precision import mean_precision_at_k
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

QUERY = "Which grain does the mill grind?"
MILL = {"id": "mill", "text": "The mill does grind rye and other grain. Its wheel turns in the river."}
CHURCH = {"id": "church", "text": "A church of red brick stands on a hill. Its bell is heard far away."}


@pytest.fixture
def metrics(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., dict[str, MetricResult]]:
    def metrics(profile: ProfileName = ProfileName.EVIDENCE, **fields: Any) -> dict[str, MetricResult]:
        job = make_job(**{"query": QUERY, "response_text": "The mill grinds rye.", **fields})
        wanted = [MetricName.CONTEXT_RELEVANCE, MetricName.CONTEXT_PRECISION]
        return score_job(job, PROFILES[profile], ports, wanted).metrics

    return metrics


def relevance_of(found: dict[str, MetricResult]) -> tuple[MetricResult, ContextRelevanceDetails]:
    metric = found["context_relevance"]
    assert isinstance(metric.details, ContextRelevanceDetails)
    return metric, metric.details


def precision_of(found: dict[str, MetricResult]) -> tuple[MetricResult, ContextPrecisionDetails]:
    metric = found["context_precision"]
    assert isinstance(metric.details, ContextPrecisionDetails)
    return metric, metric.details


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_context_relevance_is_the_share_of_relevant_sentences(
    metrics: Callable[..., dict[str, MetricResult]], profile: ProfileName
) -> None:
    metric, details = relevance_of(metrics(profile, contexts=[MILL, CHURCH]))
    # the first has five of the query's six words, the second one: 0.83 is above the ceiling, 0.17 below the floor
    assert [one.score for one in details.sentences] == [1.0, 0.0, 0.0, 0.0]
    assert [one.relevant for one in details.sentences] == [True, False, False, False]
    assert [(one.context_index, one.start, one.end) for one in details.sentences] == [
        (0, 0, 40),
        (0, 41, 70),
        (1, 0, 39),
        (1, 40, 67),
    ]
    assert (metric.score, metric.status) == (0.25, Status.SUCCESS)
    assert details.mean_relevance == pytest.approx(fmean(one.score for one in details.sentences), abs=1e-6)
    assert metric.reason == "1 of 4 sentences of the context is relevant to the query. Chunk 2 has none of them."


def test_a_sentence_that_stands_in_several_chunks_counts_once(
    metrics: Callable[..., dict[str, MetricResult]],
) -> None:
    once, again = metrics(contexts=[MILL, CHURCH]), metrics(contexts=[MILL, CHURCH, MILL])
    assert relevance_of(again)[0].score == relevance_of(once)[0].score
    assert relevance_of(again)[1].sentences == relevance_of(once)[1].sentences
    assert [one.relevant for one in precision_of(again)[1].evaluations] == [True, False, True]


def test_titles_and_descriptions_are_sentences_of_their_chunk(metrics: Callable[..., dict[str, MetricResult]]) -> None:
    chunk = CHURCH | {"title": "Which grain does the mill grind?", "description": "A guide."}
    _, details = relevance_of(metrics(contexts=[chunk]))
    assert [(one.field, one.relevant) for one in details.sentences] == [
        ("title", True),
        ("description", False),
        ("text", False),
        ("text", False),
    ]


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_context_precision_has_a_verdict_for_each_chunk(
    metrics: Callable[..., dict[str, MetricResult]], profile: ProfileName
) -> None:
    metric, details = precision_of(metrics(profile, contexts=[CHURCH, MILL, {"id": "blank", "text": " "}]))
    assert [(one.index, one.context_id, one.relevant) for one in details.evaluations] == [
        (0, "church", False),
        (1, "mill", True),
        (2, "blank", False),
    ]
    assert metric.score == pytest.approx(1 / 3)
    assert details.mean_precision_at_k == 0.5
    assert metric.reason == (
        "1 of 3 chunks is relevant to the query, chunks 1 and 3 are not. The mean precision at k is 0.50."
    )


def test_a_single_string_is_one_chunk(metrics: Callable[..., dict[str, MetricResult]]) -> None:
    metric, details = precision_of(metrics(rag_context=MILL["text"]))
    assert [(one.index, one.context_id, one.relevant) for one in details.evaluations] == [(0, None, True)]
    assert (metric.score, metric.reason) == (1.0, "1 of 1 chunk is relevant to the query.")


@pytest.mark.parametrize(("threshold", "status"), [(0.25, Status.SUCCESS), (0.26, Status.FAILURE)])
def test_the_jobs_threshold_decides_on_the_status(
    metrics: Callable[..., dict[str, MetricResult]], threshold: float, status: Status
) -> None:
    found = metrics(contexts=[MILL, CHURCH], thresholds={"context_relevance": threshold})
    assert (relevance_of(found)[0].threshold, relevance_of(found)[0].status) == (threshold, status)


def test_both_ask_the_model_once_for_each_sentence(
    metrics: Callable[..., dict[str, MetricResult]], relevance: Any
) -> None:
    metrics(contexts=[MILL, CHURCH, MILL])
    [(queries, passages)] = relevance.calls
    assert queries == [QUERY]
    assert len(passages) == len(set(passages)) == 4


def test_the_answer_is_not_looked_at(metrics: Callable[..., dict[str, MetricResult]], nli: Any) -> None:
    usual = metrics(contexts=[MILL, CHURCH])
    other = metrics(contexts=[MILL, CHURCH], response_text="", finish_reason="content_filter", completion_tokens=0)
    assert usual == other
    assert nli.calls == []


RANKED = st.lists(st.booleans(), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([True, False, True], (1 + 2 / 3) / 2), ([False, True], 0.5), ([True, True, False], 1.0), ([False], 0.0)],
)
def test_mean_precision_at_k(verdicts: list[bool], expected: float) -> None:
    assert mean_precision_at_k(verdicts) == pytest.approx(expected)


@given(RANKED)
def test_it_is_1_exactly_when_no_irrelevant_chunk_stands_before_a_relevant_one(verdicts: list[bool]) -> None:
    found = mean_precision_at_k(verdicts)
    assert 0 <= found <= 1
    assert (found == 1) is (any(verdicts) and sorted(verdicts, reverse=True) == verdicts)
    assert (found == 0) is not any(verdicts)


@given(RANKED, st.data())
def test_a_relevant_chunk_that_moves_up_raises_it(verdicts: list[bool], data: Any) -> None:
    places = [place for place in range(len(verdicts) - 1) if not verdicts[place] and verdicts[place + 1]]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    better = [*verdicts[:place], True, False, *verdicts[place + 2 :]]
    assert mean_precision_at_k(better) > mean_precision_at_k(verdicts)
