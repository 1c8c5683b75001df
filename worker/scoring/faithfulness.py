"""Faithfulness: which share of an answer's sentences the context entails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Evidence, Label, MetricName, MetricResult, SentenceResult, Status
from groundwire.worker.scoring.reasons import faithfulness_reason
from groundwire.worker.scoring.skip_rules import FAITHFULNESS_RULES, RULES_ON_ANSWER, first_that_applies

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.worker.scoring.asking import NliAsker, Probabilities
    from groundwire.worker.scoring.case import Case, Sentence
    from groundwire.worker.scoring.context import Passage
    from groundwire.worker.scoring.premises import Premise


def faithfulness(case: Case, asker: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    Each qualifying sentence is held against the premises of the profile. The premise that entails it most decides
    on its label, which is the most probable one. The score is the share of qualifying sentences that are entailed.
    """
    threshold = _threshold(case)
    skipped = first_that_applies(FAITHFULNESS_RULES, case)
    if skipped is not None:
        looked_at = case.sentences if skipped in RULES_ON_ANSWER else ()
        return MetricResult(
            score=None,
            status=Status.SKIPPED,
            skip_reason=skipped.reason,
            threshold=threshold,
            reason=skipped.explain(case),
            sentence_results=tuple(_unscored(sentence) for sentence in looked_at),
        )
    results = _verdicts(case, asker)
    labels = [result.label for result in results if result.label is not None]
    entailed = labels.count(Label.ENTAILMENT)
    score = entailed / len(labels)
    return MetricResult(
        score=score,
        status=Status.SUCCESS if score >= threshold else Status.FAILURE,
        threshold=threshold,
        reason=faithfulness_reason([result.label for result in results]),
        total_qualifying=len(labels),
        entailed_count=entailed,
        contradicted_count=labels.count(Label.CONTRADICTION),
        sentence_results=tuple(results),
    )


def label_of(probabilities: Probabilities) -> Label:
    """Give the most probable label. In a tie entailment loses to both others, and contradiction to neutral."""
    entailment, neutral, contradiction = probabilities
    if entailment > neutral and entailment > contradiction:
        return Label.ENTAILMENT
    return Label.CONTRADICTION if contradiction > neutral else Label.NEUTRAL


def _threshold(case: Case) -> float:
    name = MetricName.FAITHFULNESS
    return float((case.job.thresholds or {}).get(name, case.profile.thresholds[name]))


def _verdicts(case: Case, asker: NliAsker) -> list[SentenceResult]:
    qualifying = [sentence for sentence in case.sentences if sentence.unscored_reason is None]
    premises = [case.premise_source.premises(sentence.claim) for sentence in qualifying]
    pairs = [
        (premise.text, sentence.claim) for sentence, own in zip(qualifying, premises, strict=True) for premise in own
    ]
    answers = iter(asker.ask(pairs))
    scored = {
        sentence: _scored(sentence, [(premise, next(answers)) for premise in own])
        for sentence, own in zip(qualifying, premises, strict=True)
    }
    return [scored.get(sentence) or _unscored(sentence) for sentence in case.sentences]


def _scored(sentence: Sentence, held_against: Sequence[tuple[Premise, Probabilities]]) -> SentenceResult:
    premise, probabilities = max(held_against, key=lambda pair: pair[1].entailment)
    return SentenceResult(
        sentence=sentence.raw,
        start=sentence.start,
        end=sentence.end,
        label=label_of(probabilities),
        entailment_prob=probabilities.entailment,
        neutral_prob=probabilities.neutral,
        contradiction_prob=probabilities.contradiction,
        evidence=tuple(_evidence(premise.passages)),
    )


def _unscored(sentence: Sentence) -> SentenceResult:
    return SentenceResult(
        sentence=sentence.raw,
        start=sentence.start,
        end=sentence.end,
        unscored_reason=sentence.unscored_reason,
    )


def _evidence(passages: Iterable[Passage]) -> Iterable[Evidence]:
    return (
        Evidence(
            context_index=passage.source.context_index,
            context_id=passage.source.context_id,
            field=passage.source.field,
            start=passage.start,
            end=passage.end,
            text=passage.text,
        )
        for passage in passages
    )
