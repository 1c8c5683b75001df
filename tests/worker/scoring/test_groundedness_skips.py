"""Every way of having nothing to score: a typed skip in profile evidence, 0 in profile original and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import GroundednessMode, Job, MetricName, ProfileName, SkipReason, Status, UnscoredReason
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import JobScore, score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

SCORABLE: dict[str, Any] = {
    "contexts": [{"id": "a", "text": "The harbour was dug by hand in 1870. It holds forty fishing boats in winter."}],
    "response_text": "The harbour was dug by hand in 1870.",
}

UNDER_RULE: dict[str, tuple[dict[str, Any], SkipReason]] = {
    "blocked": ({"finish_reason": "content_filter"}, SkipReason.FINISH_REASON_BLOCKED),
    "no contexts": ({"contexts": None}, SkipReason.RAG_CONTEXT_NULL),
    "no chunk": ({"contexts": []}, SkipReason.RAG_CONTEXT_NULL),
    "blank chunks": ({"contexts": ["", {"html": "<p> </p>"}, {"text": "\u200b"}]}, SkipReason.RAG_CONTEXT_NULL),
    "short context": ({"contexts": ["The harbour was dug by hand in 1870."]}, SkipReason.RAG_CONTEXT_TOO_SHORT),
    "few tokens": ({"completion_tokens": 9}, SkipReason.COMPLETION_TOKENS_TOO_FEW),
    "abstention": ({"response_text": "I do not know the answer to that question."}, SkipReason.ABSTENTION),
    "short sentences": (
        {"response_text": "He is a very old man. So is she, I say."},
        SkipReason.NO_QUALIFYING_SENTENCES,
    ),
    "no sentence": ({"response_text": ""}, SkipReason.NO_QUALIFYING_SENTENCES),
    "marks alone": ({"response_text": "[1] [2] [3] [4] [5] [6] [7] [8]"}, SkipReason.NO_QUALIFYING_SENTENCES),
    "fragments": ({"response_text": "? No idea what that was"}, SkipReason.NO_QUALIFYING_SENTENCES),
    "unknown chunks": ({"cited_chunks": ["b", "2"]}, SkipReason.CITED_CHUNKS_MISSING),
}

NOTHING_THERE = frozenset(UNDER_RULE) - {"blocked", "short context", "few tokens", "abstention"}

MODES = pytest.mark.parametrize("mode", GroundednessMode)


@pytest.fixture
def ground(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., JobScore]:
    def ground(profile: ProfileName, mode: GroundednessMode, **fields: Any) -> JobScore:
        configured = PROFILES[profile].with_grounding(mode=mode, min_sentence_chars=24)
        return score_job(make_job(**SCORABLE | fields), configured, ports, list(MetricName))

    return ground


@MODES
@pytest.mark.parametrize("way", UNDER_RULE)
def test_evidence_skips_with_a_reason(ground: Callable[..., JobScore], way: str, mode: GroundednessMode) -> None:
    fields, reason = UNDER_RULE[way]
    metric = ground(ProfileName.EVIDENCE, mode, **fields).metrics["groundedness"]
    assert (metric.status, metric.skip_reason, metric.score) == (Status.SKIPPED, reason, None)
    assert (metric.total_qualifying, metric.details, metric.threshold) == (0, None, 0.5)
    assert metric.reason
    assert metric.reason.endswith(".")


@MODES
@pytest.mark.parametrize("way", UNDER_RULE)
def test_original_gives_0_for_no_chunk_or_no_sentence_and_scores_the_rest(
    ground: Callable[..., JobScore], way: str, mode: GroundednessMode
) -> None:
    fields, _ = UNDER_RULE[way]
    metric = ground(ProfileName.ORIGINAL, mode, **fields).metrics["groundedness"]
    assert metric.score is not None
    assert metric.skip_reason is None
    assert metric.details is not None
    nothing = way in NOTHING_THERE
    assert (metric.details.sentences == ()) is nothing
    if nothing:
        assert (metric.score, metric.status) == (0.0, Status.FAILURE)
        assert metric.reason in {
            "The score is 0, as there is no chunk with text to hold the answer against.",
            "The score is 0, as no sentence of the answer has at least 24 characters.",
        }


@pytest.mark.parametrize("profile", MODELS_PROFILES)
@MODES
def test_a_scorable_job_is_scored(
    ground: Callable[..., JobScore], profile: ProfileName, mode: GroundednessMode
) -> None:
    assert ground(profile, mode).metrics["groundedness"].score == 1.0


@pytest.mark.parametrize(
    ("fields", "faithfulness", "groundedness"),
    [
        # six short words
        ({"response_text": "It is an old one, see."}, None, SkipReason.NO_QUALIFYING_SENTENCES),
        ({"response_text": "Hand-dug harbour: eighteen-seventy."}, SkipReason.NO_QUALIFYING_SENTENCES, None),
        ({"cited_chunks": ["b"]}, None, SkipReason.CITED_CHUNKS_MISSING),
        ({"response_text": "Dug by hand."}, SkipReason.NO_QUALIFYING_SENTENCES, SkipReason.NO_QUALIFYING_SENTENCES),
        ({}, None, None),
    ],
)
def test_one_metric_may_skip_without_the_other(
    ground: Callable[..., JobScore],
    fields: dict[str, Any],
    faithfulness: SkipReason | None,
    groundedness: SkipReason | None,
) -> None:
    metrics = ground(ProfileName.EVIDENCE, GroundednessMode.RERANK_NLI, **fields).metrics
    assert metrics["faithfulness"].skip_reason is faithfulness
    assert metrics["groundedness"].skip_reason is groundedness


def test_each_metric_gives_its_own_reason_for_a_sentence(ground: Callable[..., JobScore]) -> None:
    metrics = ground(ProfileName.EVIDENCE, GroundednessMode.RERANK_NLI, response_text="Dug by hand.").metrics
    assert [metrics[name].sentence_results[0].unscored_reason for name in ("faithfulness", "groundedness")] == [
        UnscoredReason.TOO_FEW_WORDS,
        UnscoredReason.TOO_SHORT,
    ]


@pytest.mark.parametrize("way", ["blocked", "no chunk", "few tokens"])
def test_the_models_are_left_alone(ground: Callable[..., JobScore], nli: Any, relevance: Any, way: str) -> None:
    ground(ProfileName.EVIDENCE, GroundednessMode.RERANK_NLI, **UNDER_RULE[way][0])
    assert (nli.calls, relevance.calls) == ([], [])


def test_a_cited_chunk_without_text_is_as_good_as_none(ground: Callable[..., JobScore]) -> None:
    contexts = [*SCORABLE["contexts"], {"id": "blank", "text": " "}]
    answer = "The harbour was dug by hand in 1870 [2]."
    metrics = ground(ProfileName.EVIDENCE, GroundednessMode.RERANK_NLI, contexts=contexts, response_text=answer).metrics
    assert metrics["groundedness"].skip_reason is SkipReason.CITED_CHUNKS_MISSING
    assert metrics["faithfulness"].score == 1.0
