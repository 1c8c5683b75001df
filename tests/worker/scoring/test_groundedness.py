from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.models.calibration import Calibration
from groundwire.schemas import (
    GroundednessDetails,
    GroundednessMode,
    Job,
    MetricName,
    MetricResult,
    ProfileName,
    Status,
    UnscoredReason,
)
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import JobScore, score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

BOTH = (MetricName.FAITHFULNESS, MetricName.GROUNDEDNESS)
HARBOUR = {"id": "harbour", "text": "The harbour was dug by hand in 1870. It holds forty fishing boats in winter."}
MILL = {"id": "mill", "text": "The mill grinds rye and oats for the whole valley."}
CHURCH = {"id": "church", "text": "A church of red brick stands on the hill beyond the river."}


@pytest.fixture
def ground(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., JobScore]:
    def ground(
        profile: ProfileName = ProfileName.EVIDENCE,
        mode: GroundednessMode = GroundednessMode.RERANK_NLI,
        **fields: Any,
    ) -> JobScore:
        configured = PROFILES[profile].with_grounding(mode=mode, min_sentence_chars=20)
        return score_job(make_job(**fields), configured, ports, BOTH)

    return ground


def details_of(scored: JobScore) -> GroundednessDetails:
    details = metric_of(scored).details
    assert details is not None
    return details


def metric_of(scored: JobScore) -> MetricResult:
    return scored.metrics["groundedness"]


def test_the_score_is_the_mean_of_calibrated_relevance(ground: Callable[..., JobScore]) -> None:
    # 5 of 6 words and 4 of 8: (0.833 - 0.2) / 0.6 is above 1, (0.5 - 0.2) / 0.6 is a half
    answer = "The mill grinds rye and barley. The mill grinds oats since eighteen hundred nine."
    scored = ground(contexts=[HARBOUR, MILL], response_text=answer)
    metric, details = metric_of(scored), details_of(scored)
    assert [(one.raw, one.calibrated) for one in details.sentences] == [(0.833333, 1.0), (0.5, 0.5)]
    assert [one.best_chunk for one in details.sentences] == [1, 1]
    assert (metric.score, metric.status, metric.threshold) == (0.75, Status.SUCCESS, 0.5)
    assert metric.reason == (
        "The relevance of the evidence is 0.75 on average over 2 scored sentences, "
        "at least 0.50 for sentence 2 (chunk 2, id mill)."
    )
    assert (details.floor, details.ceiling, details.relevance_model_id) == (0.2, 0.8, "overlap")


@pytest.mark.parametrize(("threshold", "status"), [(0.75, Status.SUCCESS), (0.76, Status.FAILURE)])
def test_the_jobs_threshold_decides_on_the_status(
    ground: Callable[..., JobScore], threshold: float, status: Status
) -> None:
    answer = "The mill grinds rye and barley. The mill grinds oats since eighteen hundred nine."
    scored = ground(contexts=[MILL], response_text=answer, thresholds={"groundedness": threshold})
    assert (metric_of(scored).status, metric_of(scored).threshold) == (status, threshold)


def test_the_profiles_floor_and_ceiling_go_before_the_models(ports: Ports, make_job: Callable[..., Job]) -> None:
    profile = PROFILES[ProfileName.EVIDENCE]
    job = make_job(contexts=[MILL], response_text="The mill grinds oats since eighteen hundred nine.")
    for floor, ceiling, expected in ((0.0, 1.0, 0.5), (None, 1.0, 0.375), (0.5, None, 0.0), (0.4, 0.5, 1.0)):
        configured = replace(profile, grounding=replace(profile.grounding, floor=floor, ceiling=ceiling))
        scored = score_job(job, configured, ports, [MetricName.GROUNDEDNESS])
        assert metric_of(scored).score == expected


def test_profile_original_calibrates_from_0_2_to_0_8_whatever_the_model(
    ground: Callable[..., JobScore], relevance: Any
) -> None:
    relevance.calibration = Calibration(0.0, 1.0)
    fields = {"contexts": [MILL], "response_text": "The mill grinds barley."}
    # 0.55 of the 0.6 between floor and ceiling
    for profile, calibrated in ((ProfileName.EVIDENCE, 0.75), (ProfileName.ORIGINAL, 0.916667)):
        [one] = details_of(ground(profile, **fields)).sentences
        assert (one.raw, one.calibrated) == (0.75, calibrated)


def test_profile_original_takes_a_chunk_as_a_whole(ground: Callable[..., JobScore]) -> None:
    # the words of this sentence are in two sentences of one chunk
    fields = {"contexts": [HARBOUR], "response_text": "The harbour holds forty fishing boats."}
    assert details_of(ground(**fields)).sentences[0].raw == pytest.approx(4 / 6, abs=1e-6)
    assert details_of(ground(ProfileName.ORIGINAL, **fields)).sentences[0].raw == 1.0


def test_short_sentences_abstentions_and_those_over_the_limit_do_not_count(ground: Callable[..., JobScore]) -> None:
    answer = "The mill grinds [1]. I do not know the answer to that question. " + " ".join(
        f"The mill grinds rye in week {number}." for number in range(14)
    )
    scored = ground(contexts=[MILL], response_text=answer)
    reasons = [sentence.unscored_reason for sentence in metric_of(scored).sentence_results]
    assert reasons == [
        UnscoredReason.TOO_SHORT,
        UnscoredReason.ABSTENTION,
        *[None] * 12,
        *[UnscoredReason.OVER_LIMIT] * 2,
    ]
    assert metric_of(scored).total_qualifying == len(details_of(scored).sentences) == 12
    assert [one.sentence for one in details_of(scored).sentences] == list(range(2, 14))
    original = metric_of(ground(ProfileName.ORIGINAL, contexts=[MILL], response_text=answer))
    assert original.sentence_results[1].unscored_reason is None


def test_characters_of_a_sentence_are_counted_without_its_marks(ground: Callable[..., JobScore]) -> None:
    scored = ground(contexts=[MILL], response_text="The mill grinds a [1][1]. The **mill** grinds rye.")
    assert [one.unscored_reason for one in metric_of(scored).sentence_results] == [UnscoredReason.TOO_SHORT, None]


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_only_the_cited_chunks_count_at_most_five_of_them_in_order(
    ground: Callable[..., JobScore], profile: ProfileName
) -> None:
    contexts = [{"text": f"The shed numbered {number} is full of hay."} for number in range(8)]
    answer = "The sheds are full of hay [8][7][2]. They are full of hay [4, 5, 6]."
    details = details_of(ground(profile, contexts=contexts, response_text=answer))
    assert [chunk.context_index for chunk in details.chunks] == [7, 6, 1, 3, 4]
    assert details.cites is True
    assert {one.best_chunk for one in details.sentences} <= {7, 6, 1, 3, 4}


@pytest.mark.parametrize(
    ("scores", "chunks"),
    [
        ([0.1, 0.9, 0.5, 0.5, 0.7, 0.2, 0.3], [1, 4, 2, 3, 6]),
        ([0.1, 0.9, 0.5, None, 0.7, 0.2, 0.3], [0, 1, 2, 3, 4]),
    ],
)
def test_an_answer_that_cites_none_is_held_against_the_best_by_score_or_rank(
    ground: Callable[..., JobScore], scores: list[float | None], chunks: list[int]
) -> None:
    contexts = [{"text": f"The shed numbered {number} is full of hay.", "score": s} for number, s in enumerate(scores)]
    details = details_of(ground(contexts=contexts, response_text="The sheds are full of hay."))
    assert [chunk.context_index for chunk in details.chunks] == chunks
    assert (details.cites, details.citation_precision, details.citation_recall) == (False, None, None)


def test_blank_chunks_are_left_out_but_counted(ground: Callable[..., JobScore]) -> None:
    contexts = [{"text": "  "}, MILL, {"html": "<p></p>"}, HARBOUR]
    answer = "The mill grinds rye and oats [2]. The harbour was dug by hand [1][4]."
    details = details_of(ground(contexts=contexts, response_text=answer))
    assert [(chunk.context_index, chunk.context_id) for chunk in details.chunks] == [(1, "mill"), (3, "harbour")]
    details = details_of(ground(contexts=contexts, response_text="The mill grinds rye and oats."))
    assert [chunk.context_index for chunk in details.chunks] == [1, 3]


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_where_all_chunks_count_faithfulness_has_paid_for_the_pairs(
    ground: Callable[..., JobScore], nli: Any, relevance: Any, profile: ProfileName
) -> None:
    answer = "The mill grinds rye and oats. The harbour was dug by hand."
    scored = ground(profile, contexts=[HARBOUR, MILL], response_text=answer)
    assert len(nli.calls) == 1
    assert scored.cached_pairs * 2 == scored.pairs
    pairs = [(query, passage) for queries, passages in relevance.calls for query in queries for passage in passages]
    assert len(set(pairs)) == len(pairs)
    assert len({query for query, _ in pairs}) == 2


def test_mode_rerank_does_without_the_nli_model(ground: Callable[..., JobScore], nli: Any) -> None:
    answer = "The mill grinds not rye and oats [2]."
    scored = ground(mode=GroundednessMode.RERANK, contexts=[HARBOUR, MILL], response_text=answer)
    metric, [one] = metric_of(scored), details_of(scored).sentences
    assert len(nli.calls) == 1  # by faithfulness
    assert metric.score is not None
    assert metric.score > 0
    [sentence] = metric.sentence_results
    assert (sentence.label, sentence.entailment_prob, sentence.unscored_reason) == (None, None, None)
    assert [piece.text for piece in sentence.evidence] == [MILL["text"]]
    assert (metric.total_qualifying, metric.entailed_count, metric.contradicted_count) == (1, 0, 0)
    assert (one.cited, one.supporting, one.entailed_by, one.citation_supports) == ((1,), None, None, None)
    assert details_of(scored).citation_precision is None


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_one_contradicted_sentence_makes_the_score_0(ground: Callable[..., JobScore], profile: ProfileName) -> None:
    answer = "The harbour was dug by hand in 1870. The mill grinds not rye and oats."
    metric = metric_of(ground(profile, contexts=[HARBOUR, MILL], response_text=answer))
    assert (metric.score, metric.status, metric.contradicted_count) == (0.0, Status.FAILURE, 1)
    assert metric.reason == "The score is 0, as the context contradicts sentence 2 (chunk 2, id mill)."


def test_a_chunk_that_is_not_cited_contradicts_nothing(ground: Callable[..., JobScore]) -> None:
    answer = "The mill grinds not rye and oats [1]."
    scored = ground(contexts=[CHURCH, MILL], response_text=answer)
    assert metric_of(scored).contradicted_count == 0
    assert scored.metrics["faithfulness"].contradicted_count == 1


def test_sentences_are_logged_without_their_text(
    ground: Callable[..., JobScore], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "groundwire")
    ground(contexts=[MILL], response_text="The mill grinds rye and oats.")
    assert caplog.messages == [
        "groundedness of sentence 1: raw 1.0000, calibrated 1.0000, label entailment, mode rerank_nli"
    ]
