"""The laws of the verdict once more, with the embedded model on answers that have labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.answers.build import load_answers
from groundwire.schemas import Job, Label, MetricName, ProfileName
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.answers.build import Answer
    from groundwire.schemas import SentenceResult
    from groundwire.worker.scoring.ports import Ports

ANSWERS = load_answers()
SAMPLE = [pytest.param(answer, id=answer.id) for answer in ANSWERS[10:60:10]]

NOTICES = [
    "Tomatoes like warm soil. Water them in the morning.",
    "Ferries wait for no one. Gulls follow them out to sea.",
    "A kettle boils faster under its lid. Tea tastes better from a pot.",
    "Owls sleep by day. Mice know it well.",
    "Chess clubs meet upstairs. Beginners borrow boards.",
]
"""Chunks on none of the answers' topics."""


@pytest.fixture
def verdicts(real_ports: Ports) -> Callable[..., list[SentenceResult]]:
    def verdicts(answer: str, contexts: Sequence[str]) -> list[SentenceResult]:
        job = Job(trace_id="t1", span_id="s1", response_text=answer, contexts=contexts, completion_tokens=50)
        profile = PROFILES[ProfileName.EVIDENCE]
        metric = score_job(job, profile, real_ports, [MetricName.FAITHFULNESS]).metrics["faithfulness"]
        return list(metric.sentence_results)

    return verdicts


def said(result: SentenceResult) -> tuple[Any, ...]:
    """Label, probabilities and the words of the evidence."""
    texts = [piece.text for piece in result.evidence]
    return result.label, result.entailment_prob, result.neutral_prob, result.contradiction_prob, texts


@pytest.mark.parametrize("answer", SAMPLE)
def test_the_order_of_chunks_and_their_repetition_change_nothing(
    verdicts: Callable[..., list[SentenceResult]], answer: Answer
) -> None:
    expected = list(map(said, verdicts(answer.response, answer.contexts)))
    backwards = list(reversed(answer.contexts))
    for contexts in (backwards, [*answer.contexts, *backwards]):
        found = verdicts(answer.response, contexts)
        assert list(map(said, found)) == expected
        for piece in (piece for result in found for piece in result.evidence):
            assert contexts[piece.context_index][piece.start : piece.end] == piece.text


@pytest.mark.parametrize("answer", SAMPLE)
def test_a_false_sentence_changes_no_other_and_is_found_wherever_it_stands(
    verdicts: Callable[..., list[SentenceResult]], answer: Answer
) -> None:
    expected = list(map(said, verdicts(answer.response, answer.contexts)))
    false = "The Sultan of Zanzibar owned 4,711 elephants in 1888."
    for text, place in ((f"{false} {answer.response}", 0), (f"{answer.response} {false}", -1)):
        found = list(map(said, verdicts(text, answer.contexts)))
        assert found.pop(place)[0] is not Label.ENTAILMENT
        assert found == expected


def test_chunks_on_other_topics_change_next_to_no_label(verdicts: Callable[..., list[SentenceResult]]) -> None:
    changed = total = 0
    for answer in ANSWERS[30:70:4]:
        before, after = (
            [result.label is Label.ENTAILMENT for result in verdicts(answer.response, contexts)]
            for contexts in (answer.contexts, [*NOTICES, *answer.contexts])
        )
        changed += sum(one is not other for one, other in zip(before, after, strict=True))
        total += len(before)
    assert total > 30
    assert changed <= 0.01 * total
