"""Faithfulness: which share of an answer's sentences the context entails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Label, MetricName, MetricResult, SentenceResult
from groundwire.worker.scoring.asking import label_of, most_entailing
from groundwire.worker.scoring.outcome import judged, scored, skipped, unscored
from groundwire.worker.scoring.reasons import faithfulness_reason
from groundwire.worker.scoring.skip_rules import FAITHFULNESS_RULES, first_that_applies
from groundwire.worker.scoring.subject import has_same_subject

if TYPE_CHECKING:
    from groundwire.worker.scoring.asking import Held, Judge, NliAsker
    from groundwire.worker.scoring.case import Case


def faithfulness(case: Case, asker: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    Each qualifying sentence is held against the premises of the profile, one after another until one settles that it
    is entailed. Of these the one that entails it most decides on its label, which is the most probable one. The score
    is the share of qualifying sentences that are entailed.
    """
    rule = first_that_applies(FAITHFULNESS_RULES, case)
    if rule is not None:
        return skipped(case, MetricName.FAITHFULNESS, rule, case.sentences if case.is_split else ())
    results = verdicts(case, asker)
    labels = [result.label for result in results if result.label is not None]
    return scored(
        case,
        MetricName.FAITHFULNESS,
        labels.count(Label.ENTAILMENT) / len(labels),
        reason=faithfulness_reason(results, name_chunks=case.job.contexts is not None),
        sentences=results,
    )


def verdicts(case: Case, asker: NliAsker, judge: Judge | None = None) -> list[SentenceResult]:
    """Hold every qualifying sentence of an answer against the context.

    Args:
        case: The job.
        asker: Asks the NLI model.
        judge: Judges in the place of the asker's own, which knows the context of another job.

    Returns:
        Every sentence in order, those that don't qualify with the reason.
    """
    qualifying = [sentence for sentence in case.sentences if sentence.unscored_reason is None]
    source = case.premise_source
    claims = [(sentence.claim, source.premises(sentence.claim)) for sentence in qualifying]
    best = dict(zip(qualifying, map(most_entailing, asker.hold(claims, judge=judge)), strict=True))
    return [
        judged(sentence, _label(case, sentence.claim, best[sentence]), best[sentence])
        if sentence in best
        else unscored(sentence, sentence.unscored_reason)
        for sentence in case.sentences
    ]


def _label(case: Case, claim: str, best: Held) -> Label:
    """Give the label of a sentence from the premise that supports it most.

    Where the profile weighs the model's probabilities, a premise that is about something else contradicts nothing.
    """
    label = label_of(best.probabilities)
    if label is Label.CONTRADICTION and case.profile.support and not has_same_subject(claim, best.premise.text):
        return Label.NEUTRAL
    return label
