"""When a sentence is contradicted surely enough to cost the whole score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from groundwire.models import Answers
from groundwire.schemas import Label, MetricName, MetricResult, ProfileName
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports

ANSWER = "The mill of Holm grinds rye and oats."
ONE = "The mill grinds rye for the valley."
THREE = f"{ONE} Its wheel turns in the river at Holm. The miller sows oats."
"""Each sentence adds to what the others share with the answer, so that there are three premises."""


class Said:
    """Gives premises of one, two and three sentences the probabilities that it was told."""

    def __init__(self, *rows: tuple[float, float, float]) -> None:
        self._rows = rows

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
        assert temperature > 0
        return Answers(np.array([self._rows[premise.count(".") - 1] for premise, _ in pairs], np.float32), 0)


@pytest.fixture
def judge(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., MetricResult]:
    def judge(
        *rows: tuple[float, float, float],
        answer: str = ANSWER,
        context: str = THREE,
        profile: ProfileName = ProfileName.EVIDENCE,
    ) -> MetricResult:
        job = make_job(response_text=answer, contexts=[{"text": context}])
        # without the weights of support, so that the premises have the probabilities that they are told
        as_said = replace(PROFILES[profile], support=None)
        configured = as_said.with_limits(min_context_chars=0, min_completion_tokens=0, min_sentence_words=0)
        scored = score_job(job, configured, replace(ports, nli=Said(*rows)), [MetricName.GROUNDEDNESS])
        return scored.metrics["groundedness"]

    return judge


CONTRADICTS = (0.1, 0.1, 0.8)
OPEN = (0.1, 0.7, 0.2)


@pytest.mark.parametrize(
    ("rows", "label"),
    [
        ((CONTRADICTS, CONTRADICTS, CONTRADICTS), Label.CONTRADICTION),
        ((CONTRADICTS, CONTRADICTS, OPEN), Label.CONTRADICTION),  # mean 0.6
        ((CONTRADICTS, OPEN, OPEN), Label.NEUTRAL),
        ((OPEN, OPEN, CONTRADICTS), Label.NEUTRAL),
        (((0.2, 0.25, 0.55),) * 3, Label.NEUTRAL),
        (((0.15, 0.2, 0.65),) * 3, Label.CONTRADICTION),
        ((CONTRADICTS, CONTRADICTS, (0.5, 0.3, 0.2)), Label.ENTAILMENT),
        ((CONTRADICTS, CONTRADICTS, (0.45, 0.3, 0.25)), Label.CONTRADICTION),
        ((OPEN, (0.4, 0.3, 0.3), OPEN), Label.ENTAILMENT),
    ],
)
def test_premises_have_to_agree_and_none_may_entail(
    judge: Callable[..., MetricResult], rows: Any, label: Label
) -> None:
    metric = judge(*rows)
    assert [sentence.label for sentence in metric.sentence_results] == [label]
    assert (metric.score == 0.0) is (label is Label.CONTRADICTION)


def test_the_premise_that_contradicts_most_is_shown(judge: Callable[..., MetricResult]) -> None:
    [sentence] = judge(CONTRADICTS, (0.2, 0.1, 0.7), (0.3, 0.1, 0.6)).sentence_results
    assert sentence.contradiction_prob == pytest.approx(0.8)
    assert [piece.text for piece in sentence.evidence] == [ONE]


def test_premises_about_something_else_contradict_nothing(judge: Callable[..., MetricResult]) -> None:
    answer = "Seven bridges cross that strait."
    assert judge(*[CONTRADICTS] * 3, answer=answer).sentence_results[0].label is Label.NEUTRAL


def test_a_context_of_one_sentence_is_what_the_answer_is_about(judge: Callable[..., MetricResult]) -> None:
    answer = "Seven bridges cross that strait."
    assert judge(CONTRADICTS, answer=answer, context=ONE).sentence_results[0].label is Label.CONTRADICTION


def test_in_profile_original_the_label_alone_decides(judge: Callable[..., MetricResult]) -> None:
    rows = [(0.3, 0.3, 0.4)] * 3
    assert judge(*rows).score != 0.0
    metric = judge(*rows, profile=ProfileName.ORIGINAL)
    assert (metric.score, metric.contradicted_count) == (0.0, 1)
