"""Completeness: which share of a reference answer's sentences the answer entails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import AnswerSpan, CompletenessDetails, Label, MetricName, MetricResult, ReferenceSentence
from groundwire.worker.scoring.asking import as_said
from groundwire.worker.scoring.faithfulness import verdicts
from groundwire.worker.scoring.outcome import scored, skipped
from groundwire.worker.scoring.relevance_reasons import completeness_reason
from groundwire.worker.scoring.skip_rules import COMPLETENESS_RULES, first_that_applies
from groundwire.worker.scoring.support import SupportJudge

if TYPE_CHECKING:
    from groundwire.schemas import SentenceResult
    from groundwire.worker.scoring.asking import NliAsker
    from groundwire.worker.scoring.case import Case


def completeness(case: Case, asker: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    It is the faithfulness of the reference answer, with the answer in the place of the context: the same sentences
    count, and the same verdict decides.
    """
    rule = first_that_applies(COMPLETENESS_RULES, case)
    if rule is not None:
        return skipped(case, MetricName.COMPLETENESS, rule)
    reference = case.of_reference
    support = case.profile.support
    judge = as_said if support is None else SupportJudge(reference.context, support).judge
    results = verdicts(reference, asker, judge)
    details = CompletenessDetails(reference_sentences=tuple(map(_in_reference, results)))
    labels = [result.label for result in results if result.label is not None]
    return scored(
        case,
        MetricName.COMPLETENESS,
        labels.count(Label.ENTAILMENT) / len(labels),
        reason=completeness_reason(details),
        details=details,
        labels=labels,
    )


def _in_reference(result: SentenceResult) -> ReferenceSentence:
    """Say of a sentence what was found: its offsets count in the reference, and those of its evidence in the answer."""
    return ReferenceSentence(
        start=result.start,
        end=result.end,
        label=result.label,
        entailment_prob=result.entailment_prob,
        neutral_prob=result.neutral_prob,
        contradiction_prob=result.contradiction_prob,
        discrepancy=result.discrepancy,
        unscored_reason=result.unscored_reason,
        answer_spans=tuple(AnswerSpan(start=piece.start, end=piece.end) for piece in result.evidence),
    )
