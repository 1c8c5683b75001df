"""Builds the result of a metric: what all metrics say in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Evidence, Label, MetricResult, SentenceResult, Status
from groundwire.worker.scoring.asking import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.schemas import MetricDetails, MetricName, UnscoredReason
    from groundwire.worker.scoring.asking import Held
    from groundwire.worker.scoring.case import Case, Sentence
    from groundwire.worker.scoring.context import Passage
    from groundwire.worker.scoring.skip_rules import SkipRule


def skipped(case: Case, metric: MetricName, rule: SkipRule, sentences: Sequence[Sentence] = ()) -> MetricResult:
    """Say which rule keeps a metric from being computed.

    Args:
        case: The job.
        metric: The metric.
        rule: The rule.
        sentences: The answer's sentences, as far as they were looked at, with the metric's reason not to score them.
    """
    return MetricResult(
        score=None,
        status=Status.SKIPPED,
        skip_reason=rule.reason,
        threshold=_threshold(case, metric),
        reason=rule.explain(case),
        sentence_results=tuple(unscored(sentence, sentence.unscored_reason) for sentence in sentences),
    )


def scored(  # noqa: PLR0913 - each is a field of the result
    case: Case,
    metric: MetricName,
    score: float,
    *,
    reason: str,
    sentences: Sequence[SentenceResult] = (),
    details: MetricDetails | None = None,
    labels: Sequence[Label] | None = None,
) -> MetricResult:
    """Give a metric's score with its status and the counts of its sentences.

    Args:
        case: The job.
        metric: The metric.
        score: Its score, 0..1.
        reason: Why it has that score.
        sentences: Every sentence of the answer; none for a metric that doesn't look at them.
        details: What it was made from.
        labels: Labels of the sentences that were scored, where these are not the answer's.
    """
    threshold = _threshold(case, metric)
    counted = [sentence.label for sentence in sentences if sentence.unscored_reason is None]
    found = counted if labels is None else labels
    return MetricResult(
        score=score,
        status=Status.SUCCESS if score >= threshold else Status.FAILURE,
        threshold=threshold,
        reason=reason,
        details=details,
        total_qualifying=len(found),
        entailed_count=found.count(Label.ENTAILMENT),
        contradicted_count=found.count(Label.CONTRADICTION),
        sentence_results=tuple(sentences),
    )


def judged(sentence: Sentence, label: Label, held: Held) -> SentenceResult:
    """Give a sentence with its label and the premise that decided on it."""
    return SentenceResult(
        sentence=sentence.raw,
        start=sentence.start,
        end=sentence.end,
        label=label,
        entailment_prob=round(held.probabilities.entailment, DECIMALS),
        neutral_prob=round(held.probabilities.neutral, DECIMALS),
        contradiction_prob=round(held.probabilities.contradiction, DECIMALS),
        discrepancy=held.discrepancy,
        evidence=evidence_of(held.premise.passages),
    )


def unscored(sentence: Sentence, reason: UnscoredReason | None) -> SentenceResult:
    """Give a sentence that was not held against the context."""
    return SentenceResult(sentence=sentence.raw, start=sentence.start, end=sentence.end, unscored_reason=reason)


def evidence_of(passages: Iterable[Passage]) -> tuple[Evidence, ...]:
    """Give passages as a result shows them."""
    return tuple(
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


def _threshold(case: Case, metric: MetricName) -> float:
    return float((case.job.thresholds or {}).get(metric, case.profile.thresholds[metric]))
