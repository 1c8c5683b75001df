"""What the chunks say of a sentence: entailment, neutral, or a contradiction sure enough to cost the whole score."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from groundwire.schemas import Label
from groundwire.worker.scoring.asking import Held, label_of, most_entailing
from groundwire.worker.scoring.evidence import as_read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.models.calibration import Calibration
    from groundwire.worker.scoring.case import Case


class Verdict(NamedTuple):
    """What the chunks say of a sentence.

    Attributes:
        label: Its label.
        deciding: The premise that decided on it.
        held: Every premise that it was held against.
    """

    label: Label
    deciding: Held
    held: Sequence[Held]

    @property
    def entailed_by(self) -> tuple[int, ...]:
        """The chunks of the premise that entails the sentence; empty where none does."""
        passages = self.deciding.premise.passages if self.label is Label.ENTAILMENT else ()
        return tuple(dict.fromkeys(passage.source.context_index for passage in passages))


def verdict(case: Case, claim: str, held: Sequence[Held], calibration: Calibration) -> Verdict:
    """Decide on a sentence that was held against its premises, at least one.

    The most entailing premise gives the label. Under a `SureContradiction` the label is contradiction only where its
    conditions are met, and neutral where that premise alone contradicts.

    Args:
        case: The job.
        claim: The sentence, cleaned.
        held: Its premises with their probabilities.
        calibration: What raw relevance means.
    """
    best = most_entailing(held)
    label = label_of(best.probabilities)
    sure = case.profile.grounding.contradiction
    if sure is None:
        return Verdict(label, best, held)
    mean = fmean(one.probabilities.contradiction for one in held)
    if (
        mean >= sure.contradiction
        and best.probabilities.entailment < sure.entailment
        and (len(held) == 1 or calibration.calibrate(_relevance(case, claim, held)) >= sure.relevance)
    ):
        worst = max(held, key=lambda one: one.probabilities.contradiction)
        return Verdict(Label.CONTRADICTION, worst, held)
    return Verdict(Label.NEUTRAL if label is Label.CONTRADICTION else label, best, held)


def _relevance(case: Case, claim: str, held: Sequence[Held]) -> float:
    """Give the raw relevance of the most relevant sentence of the premises."""
    passages = dict.fromkeys(as_read(passage) for one in held for passage in one.premise.passages)
    return float(case.relevance.raw([claim], list(passages)).max())
