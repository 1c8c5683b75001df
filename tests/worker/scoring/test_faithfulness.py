from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from groundwire.models import Answers
from groundwire.schemas import Job, Label, MetricName, ModelError, ProfileName, Status, UnscoredReason
from groundwire.worker.scoring.asking import Probabilities, label_of
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import JobScore, score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.worker.scoring.ports import Ports

CONTEXT = "The harbour was dug by hand in 1870. It holds forty fishing boats in winter. The mill grinds rye and oats."
ANSWER = "The harbour was dug by hand in 1870. The mill grinds **rye** and oats [1]. Yes. The moon is made of cheese."


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_the_share_of_entailed_sentences(score: Callable[..., JobScore], profile: ProfileName) -> None:
    metric = score(profile, rag_context=CONTEXT, response_text=ANSWER).metrics["faithfulness"]
    assert (metric.total_qualifying, metric.entailed_count, metric.contradicted_count) == (3, 2, 0)
    assert metric.score == pytest.approx(2 / 3)
    assert (metric.status, metric.threshold) == (Status.SUCCESS, 0.5)
    assert metric.reason == (
        "The context supports 2 of 3 scored sentences. It neither supports nor contradicts sentence 4."
    )
    assert [result.label for result in metric.sentence_results] == ["entailment", "entailment", None, "neutral"]
    assert [result.unscored_reason for result in metric.sentence_results] == [None, None, "too_few_words", None]


def test_sentences_are_quoted_as_they_stand_and_cleaned_for_the_model(score: Callable[..., JobScore], nli: Any) -> None:
    metric = score(rag_context=CONTEXT, response_text=ANSWER).metrics["faithfulness"]
    for result in metric.sentence_results:
        assert result.sentence == ANSWER[result.start : result.end]
    assert metric.sentence_results[1].sentence == "The mill grinds **rye** and oats [1]."
    assert "The mill grinds rye and oats." in {hypothesis for _, hypothesis in nli.calls[0]}


def test_evidence_is_what_decided_and_the_nearest_for_what_is_not_supported(
    ports: Ports, make_job: Callable[..., Job]
) -> None:
    answer = "The mill grinds rye and oats. The mill stores maize, barley and unsold corn."
    job = make_job(rag_context=CONTEXT, response_text=answer)
    as_said = replace(PROFILES[ProfileName.EVIDENCE], support=None)
    scored = score_job(job, as_said, ports, [MetricName.FAITHFULNESS])
    supported, open_ = scored.metrics["faithfulness"].sentence_results
    [piece] = supported.evidence
    assert (piece.context_index, piece.context_id, piece.field, piece.text) == (
        0,
        None,
        "text",
        "The mill grinds rye and oats.",
    )
    assert CONTEXT[piece.start : piece.end] == piece.text
    assert open_.label == "neutral"
    assert "The mill grinds rye and oats." in [piece.text for piece in open_.evidence]


def test_one_supporting_chunk_is_enough_and_is_named(score: Callable[..., JobScore]) -> None:
    contexts = [
        {"id": "a", "text": "Boats winter there, far from the sea."},
        {"id": "b", "text": CONTEXT},
        "Rye is good.",
    ]
    metric = score(contexts=contexts, response_text="The harbour was dug by hand in 1870.").metrics["faithfulness"]
    assert metric.score == 1.0
    assert [(piece.context_index, piece.context_id) for piece in metric.sentence_results[0].evidence] == [(1, "b")]


def test_abstaining_sentences_beside_claims_are_not_scored(score: Callable[..., JobScore]) -> None:
    answer = "The mill grinds rye and oats. The context does not provide information about its owner."
    metric = score(rag_context=CONTEXT, response_text=answer).metrics["faithfulness"]
    assert (metric.score, metric.total_qualifying) == (1.0, 1)
    assert metric.sentence_results[1].unscored_reason is UnscoredReason.ABSTENTION


@pytest.mark.parametrize(("threshold", "status"), [(0, "success"), (0.5, "success"), (0.51, "failure"), (1, "failure")])
def test_the_jobs_threshold_goes_before_the_profiles(
    score: Callable[..., JobScore], threshold: float, status: str
) -> None:
    answer = "The mill grinds rye and oats. The moon is made of cheese."
    metric = score(rag_context=CONTEXT, response_text=answer, thresholds={"faithfulness": threshold}).metrics[
        "faithfulness"
    ]
    assert (metric.score, metric.status, metric.threshold) == (0.5, status, threshold)


def test_contradictions_are_counted_and_named(score: Callable[..., JobScore]) -> None:
    answer = "The mill does not grind rye and oats. The moon is made of cheese."
    metric = score(rag_context=CONTEXT, response_text=answer).metrics["faithfulness"]
    assert (metric.score, metric.status, metric.contradicted_count) == (0.0, "failure", 1)
    assert metric.reason == (
        "The context supports 0 of 2 scored sentences. "
        "It contradicts sentence 1, and neither supports nor contradicts sentence 2."
    )


def test_long_answers_name_the_first_sentences_and_count_the_others(score: Callable[..., JobScore]) -> None:
    answer = " ".join(f"The moon number {number} is made of cheese." for number in range(12))
    reason = score(rag_context=CONTEXT, response_text=answer).metrics["faithfulness"].reason
    assert reason is not None
    assert reason.endswith("sentences 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more.")


def test_equal_pairs_go_to_the_model_once(score: Callable[..., JobScore], nli: Any) -> None:
    scored = score(rag_context=CONTEXT, response_text=ANSWER + " " + ANSWER)
    pairs = [pair for call in nli.calls for pair in call]
    assert len(set(pairs)) == len(pairs) == scored.pairs - scored.cached_pairs
    assert scored.cached_pairs == len(pairs)
    assert 0 <= scored.split_ms <= scored.total_ms
    assert 0 <= scored.nli_ms <= scored.total_ms


@pytest.mark.parametrize(
    ("probabilities", "label"),
    [
        ((0.5, 0.3, 0.2), Label.ENTAILMENT),
        ((0.5, 0.5, 0.0), Label.NEUTRAL),
        ((0.5, 0.0, 0.5), Label.CONTRADICTION),
        ((0.2, 0.4, 0.4), Label.NEUTRAL),
        ((0.0, 0.0, 1.0), Label.CONTRADICTION),
    ],
)
def test_entailment_loses_every_tie(probabilities: tuple[float, float, float], label: Label) -> None:
    assert label_of(Probabilities(*probabilities)) is label


def test_pairs_that_the_model_remembers_count_as_cached(ports: Ports, make_job: Callable[..., Job]) -> None:
    class Remembers:
        def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
            assert temperature > 0
            return Answers(np.tile(np.array([0.9, 0.06, 0.04], np.float32), (len(pairs), 1)), len(pairs) - 1)

    job = make_job(rag_context=CONTEXT, response_text="The mill grinds rye and oats. The moon is made of cheese.")
    scored = score_job(job, PROFILES[ProfileName.EVIDENCE], replace(ports, nli=Remembers()), [MetricName.FAITHFULNESS])
    assert (scored.pairs, scored.cached_pairs) == (2, 1)


@pytest.mark.parametrize("values", [[np.nan, 0.5, 0.5], [np.inf, 0.0, 0.0], [0.5, 0.5]])
def test_a_model_that_gives_no_probabilities_is_an_error(
    ports: Ports, make_job: Callable[..., Job], values: list[float]
) -> None:
    class Broken:
        def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
            return Answers(np.array([values] * len(pairs), np.float32) * temperature, 0)

    broken = replace(ports, nli=Broken())
    job = make_job(rag_context=CONTEXT, response_text=ANSWER)
    with pytest.raises(ModelError, match="NLI model gave"):
        score_job(job, PROFILES[ProfileName.EVIDENCE], broken, [MetricName.FAITHFULNESS])
