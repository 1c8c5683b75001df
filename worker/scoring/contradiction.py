"""What the chunks say of a sentence: entailment, neutral, or a contradiction sure enough to cost the whole score."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groundwire.schemas import Label
from groundwire.worker.scoring.asking import Held, label_of, most_entailing
from groundwire.worker.scoring.evidence import as_read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.premises import Premise


class Verdict(NamedTuple):
    """A sentence's label, and the premise that decided on it."""

    label: Label
    held: Held


def verdict(case: Case, claim: str, held: Sequence[Held], floor: float) -> Verdict:
    """Decide on a sentence that was held against its premises, at least one.

    The most entailing premise gives the label. Under a `SureContradiction` the label is contradiction only where a
    premise about the same thing contradicts with enough probability and none entails; otherwise it is neutral.

    Args:
        case: The job.
        claim: The sentence, cleaned.
        held: Its premises with their probabilities.
        floor: Raw relevance at and below which a premise is about something else.
    """
    best = most_entailing(held)
    label = label_of(best.probabilities)
    sure = case.profile.grounding.contradiction
    if sure is None:
        return Verdict(label, best)
    if best.probabilities.entailment < sure.entailment:
        contradicting = [
            one
            for one in held
            if one.probabilities.contradiction >= sure.contradiction and _relevance(case, claim, one.premise) > floor
        ]
        if contradicting:
            worst = max(contradicting, key=lambda one: one.probabilities.contradiction)
            return Verdict(Label.CONTRADICTION, worst)
    return Verdict(Label.NEUTRAL if label is Label.CONTRADICTION else label, best)


def _relevance(case: Case, claim: str, premise: Premise) -> float:
    """Give the relevance of the most relevant sentence of a premise."""
    passages = [as_read(passage) for passage in premise.passages]
    return float(case.relevance.raw([claim], passages).max())
