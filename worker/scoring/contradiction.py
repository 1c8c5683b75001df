"""What the chunks say of a sentence: entailment, neutral, or a contradiction sure enough to cost the whole score."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from groundwire.schemas import Label
from groundwire.worker.scoring.asking import Held, is_sure, label_of, most_entailing
from groundwire.worker.scoring.evidence import as_read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.models.calibration import Calibration
    from groundwire.worker.scoring.asking import Probabilities
    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.premises import Premise, PremiseSource


class Verdict(NamedTuple):
    """What the chunks say of a sentence.

    Attributes:
        label: Its label.
        deciding: The premise that decided on it.
        held: Every premise that it was held against.
        left: The premises after those, which had no say any more.
    """

    label: Label
    deciding: Held
    held: Sequence[Held]
    left: Sequence[Premise]

    @property
    def entailed_by(self) -> tuple[int, ...]:
        """The chunks of the premise that entails the sentence; empty where none does."""
        passages = self.deciding.premise.passages if self.label is Label.ENTAILMENT else ()
        return tuple(dict.fromkeys(passage.source.context_index for passage in passages))


def is_settled(case: Case, probabilities: Probabilities) -> bool:
    """Tell whether a premise settles the verdict on its sentence: it entails it, and clears it of contradiction."""
    sure = case.profile.grounding.contradiction
    return is_sure(probabilities) and (sure is None or probabilities.entailment >= sure.entailment)


def verdict(case: Case, claim: str, source: PremiseSource, held: Sequence[Held], calibration: Calibration) -> Verdict:
    """Decide on a sentence that was held against its premises, at least one.

    The most entailing premise gives the label. Under a `SureContradiction` the label is contradiction only where its
    conditions are met, and neutral where that premise alone contradicts.

    Args:
        case: The job.
        claim: The sentence, cleaned.
        source: Gives its premises.
        held: The first of them with their probabilities: all, or those up to one that settles the verdict.
        calibration: What raw relevance means.
    """
    best, left = most_entailing(held), source.premises(claim)[len(held) :]
    label = label_of(best.probabilities)
    sure = case.profile.grounding.contradiction
    if sure is None:
        return Verdict(label, best, held, left)
    mean = fmean(one.said.contradiction for one in held)
    if (
        mean >= sure.contradiction
        and best.probabilities.entailment < sure.entailment
        and (not source.picks or calibration.calibrate(_relevance(case, claim, held)) >= sure.relevance)
    ):
        worst = max(held, key=lambda one: one.said.contradiction)
        return Verdict(Label.CONTRADICTION, worst, held, left)
    return Verdict(Label.NEUTRAL if label is Label.CONTRADICTION else label, best, held, left)


def _relevance(case: Case, claim: str, held: Sequence[Held]) -> float:
    """Give the raw relevance of the most relevant sentence of the premises."""
    passages = dict.fromkeys(as_read(passage) for one in held for passage in one.premise.passages)
    return float(case.relevance.raw([claim], list(passages)).max())
