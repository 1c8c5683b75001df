"""Groundedness with the embedded models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.models import EmbeddingRelevance
from groundwire.schemas import GroundednessMode, Job, MetricName, MetricResult, ProfileName, Status
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

CHUNKS = [
    {"id": "place", "text": "The Eiffel Tower is located in Paris, France."},
    {"id": "year", "text": "It was built in 1889 by Gustave Eiffel."},
]
TRUE = "The Eiffel Tower is in Paris [1]. It was built in 1889 [2]."
BOTH_PROFILES = pytest.mark.parametrize("profile", MODELS_PROFILES)


@pytest.fixture
def ground(real_ports: Ports) -> Callable[..., MetricResult]:
    def ground(
        answer: str,
        profile: ProfileName = ProfileName.EVIDENCE,
        mode: GroundednessMode = GroundednessMode.RERANK_NLI,
        contexts: Any = CHUNKS,
    ) -> MetricResult:
        job = Job(trace_id="t1", span_id="s1", response_text=answer, completion_tokens=20, contexts=contexts)
        configured = PROFILES[profile].with_grounding(mode=mode, min_sentence_chars=20)
        return score_job(job, configured, real_ports, [MetricName.GROUNDEDNESS]).metrics["groundedness"]

    return ground


@BOTH_PROFILES
def test_an_answer_that_stands_on_what_it_cites(ground: Callable[..., MetricResult], profile: ProfileName) -> None:
    metric = ground(TRUE, profile)
    assert metric.status is Status.SUCCESS
    assert metric.score is not None
    assert metric.score > 0.7
    assert metric.entailed_count == 2
    assert metric.details is not None
    assert (metric.details.citation_precision, metric.details.citation_recall) == (1.0, 1.0)
    assert metric.reason is not None
    assert metric.reason.endswith("2 of 2 citations support their sentences.")


@BOTH_PROFILES
@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("The Eiffel Tower is in Paris [1]. It was built in 1925 [2].", "sentence 2 (chunk 2, id year)"),
        ("The Eiffel Tower is in London [1]. It was built in 1889 [2].", "sentence 1 (chunk 1, id place)"),
        ("The Eiffel Tower is in Paris. It was not built in 1889.", "sentence 2 (chunk 2, id year)"),
    ],
)
def test_a_contradicted_sentence_costs_the_score(
    ground: Callable[..., MetricResult], profile: ProfileName, answer: str, named: str
) -> None:
    metric = ground(answer, profile)
    assert (metric.score, metric.status) == (0.0, Status.FAILURE)
    assert metric.reason is not None
    assert metric.reason.endswith(f"contradicts {named}.")


@BOTH_PROFILES
def test_mode_rerank_sees_no_contradiction(ground: Callable[..., MetricResult], profile: ProfileName) -> None:
    metric = ground("The Eiffel Tower is in Paris [1]. It was built in 1925 [2].", profile, GroundednessMode.RERANK)
    assert metric.score is not None
    assert metric.score > 0


def test_the_wrong_chunk_is_told_from_the_right_one(ground: Callable[..., MetricResult]) -> None:
    details = ground("The Eiffel Tower is in Paris [2]. It was built in 1889 [2].").details
    assert details is not None
    assert [one.citation_supports for one in details.sentences] == [False, True]
    assert (details.citation_precision, details.citation_recall) == (0.5, 0.5)


def test_what_the_context_leaves_open_is_no_contradiction(ground: Callable[..., MetricResult]) -> None:
    lab = (
        "The laboratory in Trondheim studies the growth of sea urchins in cold water. It was founded in 1998 and "
        "employs 24 researchers. Its two research vessels are moored in the harbour below the main building."
    )
    answer = (
        "The laboratory in Trondheim employs 24 researchers. Its director was born in Bergen and studied chemistry."
    )
    metric = ground(answer, contexts=[lab])
    assert metric.contradicted_count == 0
    assert metric.details is not None
    first, second = metric.details.sentences
    assert second.calibrated < 0.5 < first.calibrated


def test_another_subject_gets_next_to_nothing(ground: Callable[..., MetricResult]) -> None:
    metric = ground("Bananas hold plenty of potassium. They grow in the tropics, on large herbs.")
    assert metric.score is not None
    assert metric.score < 0.1


def test_each_text_is_embedded_once(real_ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    model = real_ports.relevance
    assert isinstance(model, EmbeddingRelevance)
    embedder = model._embedder  # noqa: SLF001 - what is counted is how often it is asked
    embedded: list[str] = []
    embed = embedder.embed

    def counting(texts: list[str]) -> Any:
        embedded.extend(texts)
        return embed(texts)

    monkeypatch.setattr(embedder, "embed", counting)
    chunks = [f"Boat {number} lies at the quay of Holm. It has {number} masts and a red hull." for number in range(9)]
    answer = "Boat 3 lies at the quay of Holm [4]. Boat 5 has a red hull [6]. Boat 7 has seven masts [8]."
    job = Job(trace_id="t1", span_id="s1", response_text=answer, completion_tokens=30, contexts=chunks)
    score_job(job, PROFILES[ProfileName.EVIDENCE], real_ports, list(MetricName))
    assert embedded
    assert len(set(embedded)) == len(embedded)
