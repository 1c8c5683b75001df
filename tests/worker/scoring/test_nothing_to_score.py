"""Every metric and every way of having nothing to score: null with a reason, never a 0, a 1 or a NaN in its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import Job, MetricName, MetricResult, ProfileName, SkipReason, Status
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

SCORABLE: dict[str, Any] = {
    "query": "When was the harbour dug by hand?",
    "contexts": [{"id": "a", "text": "The harbour was dug by hand in 1870. It holds forty fishing boats in winter."}],
    "response_text": "The harbour was dug by hand in 1870.",
    "reference_answer": "It was dug by hand in 1870.",
}

WAYS: dict[str, dict[str, Any]] = {
    "blocked": {"finish_reason": "content_filter"},
    "no contexts": {"contexts": None},
    "no chunk": {"contexts": []},
    "blank chunks": {"contexts": ["", {"html": "<p> </p>"}, {"text": "\u200b"}]},
    "blank text": {"contexts": None, "rag_context": " \n"},
    "short context": {"contexts": ["The harbour was dug by hand in 1870."]},
    "no query": {"query": None},
    "blank query": {"query": " \t"},
    "query of marks": {"query": "?!"},
    "no reference": {"reference_answer": None},
    "blank reference": {"reference_answer": "\n"},
    "reference of marks": {"reference_answer": "[1]. --"},
    "short reference": {"reference_answer": "In 1870."},
    "reference abstains": {"reference_answer": "I do not know the answer to that question."},
    "few tokens": {"completion_tokens": 9},
    "abstention": {"response_text": "I do not know the answer to that question."},
    "no answer": {"response_text": ""},
    "blank answer": {"response_text": " \n "},
    "marks alone": {"response_text": "[1] [2] [3] [4] [5] [6] [7] [8]"},
    "short sentences": {"response_text": "By hand. In 1870."},
}

CONTEXT = dict.fromkeys(("no contexts", "no chunk", "blank chunks", "blank text"), SkipReason.RAG_CONTEXT_NULL) | {
    "short context": SkipReason.RAG_CONTEXT_TOO_SHORT
}
QUERY = dict.fromkeys(("no query", "blank query", "query of marks"), SkipReason.QUERY_MISSING)
REFERENCE = dict.fromkeys(("no reference", "blank reference"), SkipReason.REFERENCE_MISSING) | dict.fromkeys(
    ("reference of marks", "short reference", "reference abstains"), SkipReason.NO_QUALIFYING_REFERENCE
)
NO_WORD = dict.fromkeys(("no answer", "blank answer"), SkipReason.NO_QUALIFYING_SENTENCES)
ANSWER = {
    "blocked": SkipReason.FINISH_REASON_BLOCKED,
    "few tokens": SkipReason.COMPLETION_TOKENS_TOO_FEW,
    "abstention": SkipReason.ABSTENTION,
    **NO_WORD,
}
CLAIMS = ANSWER | dict.fromkeys(("marks alone", "short sentences"), SkipReason.NO_QUALIFYING_SENTENCES)

SKIPS: dict[MetricName, dict[str, SkipReason]] = {
    MetricName.FAITHFULNESS: CONTEXT | CLAIMS,
    MetricName.GROUNDEDNESS: CONTEXT | CLAIMS,
    MetricName.CONTEXT_RELEVANCE: CONTEXT | QUERY,
    MetricName.CONTEXT_PRECISION: CONTEXT | QUERY,
    MetricName.CONTEXT_UTILISATION: CONTEXT | CLAIMS,
    MetricName.ANSWER_RELEVANCE: QUERY | CLAIMS,
    MetricName.COMPLETENESS: REFERENCE | ANSWER,
}

NOTHING_RETRIEVED = ("no contexts", "no chunk", "blank chunks", "blank text")
NOTHING_CLAIMED = ("abstention", "no answer", "blank answer", "marks alone", "short sentences")
ZERO_IN_ORIGINAL: dict[MetricName, tuple[str, ...]] = {
    MetricName.CONTEXT_RELEVANCE: NOTHING_RETRIEVED,
    MetricName.CONTEXT_PRECISION: NOTHING_RETRIEVED,
    MetricName.ANSWER_RELEVANCE: NOTHING_CLAIMED,
}


@pytest.fixture
def result(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., MetricResult]:
    def result(metric: MetricName, way: str | None, profile: ProfileName = ProfileName.EVIDENCE) -> MetricResult:
        job = make_job(**SCORABLE | (WAYS[way] if way else {}))
        return score_job(job, PROFILES[profile], ports, [metric]).metrics[metric.value]

    return result


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("metric", MetricName)
def test_a_metric_that_misses_what_it_needs_is_null_with_its_reason_and_all_others_have_a_score(
    result: Callable[..., MetricResult], metric: MetricName, way: str
) -> None:
    found = result(metric, way)
    reason = SKIPS[metric].get(way)
    if reason is None:
        assert found.status in (Status.SUCCESS, Status.FAILURE)
        assert found.score is not None
        assert 0 <= found.score <= 1
        return
    assert (found.status, found.skip_reason, found.score) == (Status.SKIPPED, reason, None)
    assert (found.total_qualifying, found.details) == (0, None)
    assert found.reason
    assert found.reason.endswith(".")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("profile", MODELS_PROFILES)
@pytest.mark.parametrize("metric", MetricName)
def test_no_result_holds_a_nan(
    result: Callable[..., MetricResult], metric: MetricName, profile: ProfileName, way: str
) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    text = result(metric, way, profile).model_dump_json()
    assert MetricResult.model_validate(json.loads(text, parse_constant=refuse)) == result(metric, way, profile)


@pytest.mark.parametrize("profile", MODELS_PROFILES)
@pytest.mark.parametrize("metric", MetricName)
def test_with_everything_there_each_metric_has_a_score(
    result: Callable[..., MetricResult], metric: MetricName, profile: ProfileName
) -> None:
    found = result(metric, None, profile)
    assert found.score is not None
    assert found.score > 0
    assert found.reason


@pytest.mark.parametrize(
    ("metric", "way"), [(metric, way) for metric, ways in ZERO_IN_ORIGINAL.items() for way in ways]
)
def test_original_gives_0_where_the_services_that_it_follows_do(
    result: Callable[..., MetricResult], metric: MetricName, way: str
) -> None:
    found = result(metric, way, ProfileName.ORIGINAL)
    assert (found.score, found.status) == (0.0, Status.FAILURE)


@pytest.mark.parametrize("way", QUERY)
@pytest.mark.parametrize("metric", ZERO_IN_ORIGINAL)
def test_original_skips_too_without_a_query(result: Callable[..., MetricResult], metric: MetricName, way: str) -> None:
    found = result(metric, way, ProfileName.ORIGINAL)
    assert (found.score, found.skip_reason) == (None, SkipReason.QUERY_MISSING)


@pytest.mark.parametrize("way", REFERENCE)
def test_original_skips_completeness_without_a_reference(result: Callable[..., MetricResult], way: str) -> None:
    found = result(MetricName.COMPLETENESS, way, ProfileName.ORIGINAL)
    assert (found.score, found.status) == (None, Status.SKIPPED)


@pytest.mark.parametrize("metric", [MetricName.CONTEXT_RELEVANCE, MetricName.ANSWER_RELEVANCE])
def test_a_metric_without_a_query_leaves_the_models_alone(
    result: Callable[..., MetricResult], relevance: Any, nli: Any, metric: MetricName
) -> None:
    result(metric, "no query")
    assert (relevance.calls, nli.calls) == ([], [])
