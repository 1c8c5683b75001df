"""Answer relevance, context utilisation and completeness: the answer, held against query, chunks and reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import (
    AnswerRelevanceDetails,
    CompletenessDetails,
    ContextUtilisationDetails,
    Job,
    Label,
    MetricName,
    MetricResult,
    ProfileName,
    SkipReason,
    Status,
    UnscoredReason,
)
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import JobScore, score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

QUERY = "Which grain does the mill grind?"
MILL = {"id": "mill", "text": "The mill does grind rye and other grain. Its wheel turns in the river."}
CHURCH = {"id": "church", "text": "A church of red brick stands on a hill. Its bell is heard far away."}
ANSWER = "The mill does grind rye and other grain. Its wheel turns in the river."


@pytest.fixture
def scored(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., JobScore]:
    def scored(metric: MetricName, profile: ProfileName = ProfileName.EVIDENCE, **fields: Any) -> JobScore:
        job = make_job(**{"query": QUERY, "contexts": [MILL, CHURCH], "response_text": ANSWER, **fields})
        return score_job(job, PROFILES[profile], ports, [metric])

    return scored


@pytest.fixture
def relevance_of(scored: Callable[..., JobScore]) -> Callable[..., tuple[MetricResult, AnswerRelevanceDetails]]:
    def relevance_of(
        profile: ProfileName = ProfileName.EVIDENCE, **fields: Any
    ) -> tuple[MetricResult, AnswerRelevanceDetails]:
        metric = scored(MetricName.ANSWER_RELEVANCE, profile, **fields).metrics["answer_relevance"]
        assert isinstance(metric.details, AnswerRelevanceDetails)
        return metric, metric.details

    return relevance_of


def test_answer_relevance_is_the_mean_over_the_answers_sentences(
    relevance_of: Callable[..., tuple[MetricResult, AnswerRelevanceDetails]],
) -> None:
    metric, details = relevance_of(response_text=f"## Grain\n\n{ANSWER}")
    assert [(one.sentence, one.raw) for one in details.sentences] == [(1, 0.833333), (2, 0.166667)]
    assert [one.calibrated for one in details.sentences] == [1.0, 0.0]
    assert (metric.score, metric.status, metric.total_qualifying) == (0.5, Status.SUCCESS, 2)
    assert [one.unscored_reason for one in metric.sentence_results] == [UnscoredReason.HEADING, None, None]
    assert metric.reason == (
        "The relevance of the answer to the query is 0.50 on average over 2 sentences, at least 0.00 for sentence 3."
    )


def test_an_evasive_sentence_counts_0_though_it_repeats_the_query(
    relevance_of: Callable[..., tuple[MetricResult, AnswerRelevanceDetails]],
) -> None:
    evasive = "I don't know which grain the mill does grind."
    metric, details = relevance_of(response_text=f"{evasive} The mill does grind rye and other grain.")
    assert [(one.evasive, one.calibrated) for one in details.sentences] == [(True, 0.0), (False, 1.0)]
    assert details.sentences[0].raw > 0.8
    assert metric.score == 0.5
    assert metric.reason is not None
    assert metric.reason.endswith("at least 0.00 for sentence 1. Sentence 1 is evasive.")


def test_an_answer_that_is_evasive_throughout_is_skipped_and_0_in_original(
    scored: Callable[..., JobScore], relevance_of: Callable[..., tuple[MetricResult, AnswerRelevanceDetails]]
) -> None:
    evasive = "I don't know which grain the mill does grind."
    metric = scored(MetricName.ANSWER_RELEVANCE, response_text=evasive).metrics["answer_relevance"]
    assert (metric.score, metric.skip_reason) == (None, SkipReason.ABSTENTION)
    original, details = relevance_of(ProfileName.ORIGINAL, response_text=evasive)
    assert (original.score, [one.evasive for one in details.sentences]) == (0.0, [True])


def test_answer_relevance_does_not_look_at_the_context(
    relevance_of: Callable[..., tuple[MetricResult, AnswerRelevanceDetails]],
) -> None:
    assert relevance_of(contexts=None) == relevance_of()


@pytest.fixture
def use_of(scored: Callable[..., JobScore]) -> Callable[..., tuple[MetricResult, ContextUtilisationDetails]]:
    def use_of(**fields: Any) -> tuple[MetricResult, ContextUtilisationDetails]:
        metric = scored(MetricName.CONTEXT_UTILISATION, **fields).metrics["context_utilisation"]
        assert isinstance(metric.details, ContextUtilisationDetails)
        return metric, metric.details

    return use_of


def test_context_utilisation_is_the_share_of_chunks_that_a_sentence_draws_on(
    use_of: Callable[..., tuple[MetricResult, ContextUtilisationDetails]],
) -> None:
    metric, details = use_of(contexts=[MILL, CHURCH, {"text": " "}], query=None)
    assert [(one.index, one.context_id, one.used, one.sentences) for one in details.chunks] == [
        (0, "mill", True, (0, 1)),
        (1, "church", False, ()),
        (2, None, False, ()),
    ]
    assert details.chunks[0].score == 1.0
    assert metric.score == pytest.approx(1 / 3)
    assert metric.reason == "The answer draws on 1 of 3 chunks, not on chunks 2 and 3."


def test_of_two_chunks_that_say_the_same_both_are_drawn_on(
    use_of: Callable[..., tuple[MetricResult, ContextUtilisationDetails]],
) -> None:
    metric, details = use_of(contexts=[MILL, MILL])
    assert [one.used for one in details.chunks] == [True, True]
    assert (metric.score, metric.reason) == (1.0, "The answer draws on 2 of 2 chunks.")


@pytest.fixture
def completeness_of(scored: Callable[..., JobScore]) -> Callable[..., tuple[MetricResult, CompletenessDetails]]:
    def completeness_of(
        reference: str, profile: ProfileName = ProfileName.EVIDENCE, **fields: Any
    ) -> tuple[MetricResult, CompletenessDetails]:
        found = scored(MetricName.COMPLETENESS, profile, reference_answer=reference, **fields)
        assert isinstance(found.metrics["completeness"].details, CompletenessDetails)
        return found.metrics["completeness"], found.metrics["completeness"].details

    return completeness_of


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_completeness_is_the_share_of_the_references_sentences_that_the_answer_entails(
    completeness_of: Callable[..., tuple[MetricResult, CompletenessDetails]], profile: ProfileName
) -> None:
    reference = "The mill does grind rye. Two millers from Bergen own all these shares. Yes."
    metric, details = completeness_of(reference, profile)
    assert [one.label for one in details.reference_sentences] == [Label.ENTAILMENT, Label.NEUTRAL, None]
    assert details.reference_sentences[2].unscored_reason is UnscoredReason.TOO_FEW_WORDS
    first = details.reference_sentences[0]
    assert reference[first.start : first.end] == "The mill does grind rye."
    assert ANSWER[first.answer_spans[0].start : first.answer_spans[-1].end].startswith("The mill does grind rye and")
    assert (metric.score, metric.total_qualifying, metric.entailed_count) == (0.5, 2, 1)
    assert metric.sentence_results == ()
    assert metric.reason == "The answer entails 1 of 2 sentences of the reference. It leaves out sentence 2."


def test_the_context_has_no_say_in_completeness(
    completeness_of: Callable[..., tuple[MetricResult, CompletenessDetails]],
) -> None:
    reference = "A church of red brick stands on a hill."
    metric, _ = completeness_of(reference)
    assert metric.score == 0.0
    assert completeness_of(reference, contexts=None) == (metric, metric.details)


def test_completeness_counts_what_it_costs(scored: Callable[..., JobScore]) -> None:
    found = scored(MetricName.COMPLETENESS, reference_answer="The mill does grind rye and other grain.")
    assert found.pairs == 1
    assert found.split_ms > 0
