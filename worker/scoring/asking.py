"""Asks the NLI model for the pairs of a job, each different pair once and none in vain, and keeps count and time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groundwire.schemas import Label, ModelError, TooMuchWorkError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.schemas import DiscrepancyKind
    from groundwire.worker.scoring.ports import Nli
    from groundwire.worker.scoring.premises import Premise

    Judge = Callable[[str, Premise, "Probabilities"], "Held"]
    """Turns what the model says of a claim and a premise into what to make of it."""

MAX_PAIR_CHARS = 10_000_000
"""Characters that the model reads for one job at most, premises and sentences together: some twenty minutes of a core.
The largest answer needs a fifth of it under profile `evidence`; profile `original` could ask for days. Pairs that early
stopping or a cache may spare count too: whether a job is too large depends on the job alone."""

SURE = 0.5
"""Probability of entailment above which a premise settles a sentence's label: the other two labels are less probable,
and so they are for any premise that entails the sentence more."""

DECIMALS = 6
"""Digits that are kept of a probability: the rest is noise of quantised arithmetic."""


class Probabilities(NamedTuple):
    """What the model says of a (premise, hypothesis) pair; the three sum to one, within rounding."""

    entailment: float
    neutral: float
    contradiction: float


class Held(NamedTuple):
    """A sentence held against one of its premises.

    Attributes:
        premise: The premise.
        probabilities: What to make of the two: what the model says, or what the profile's judge makes of that.
        said: What the model says.
        discrepancy: What rules found at odds between the two, though the model takes the one to follow from the other.
    """

    premise: Premise
    probabilities: Probabilities
    said: Probabilities
    discrepancy: DiscrepancyKind | None = None


def as_said(_: str, premise: Premise, said: Probabilities) -> Held:
    """Take the model at its word; the judge of profiles that have no other."""
    return Held(premise, said, said)


def label_of(probabilities: Probabilities) -> Label:
    """Give the most probable label. In a tie entailment loses to both others, and contradiction to neutral."""
    entailment, neutral, contradiction = probabilities
    if entailment > neutral and entailment > contradiction:
        return Label.ENTAILMENT
    return Label.CONTRADICTION if contradiction > neutral else Label.NEUTRAL


def is_sure(probabilities: Probabilities) -> bool:
    """Tell whether a premise settles that its sentence is entailed, whatever other premises say."""
    return probabilities.entailment > SURE


def most_entailing(held: Sequence[Held]) -> Held:
    """Give the premise that entails its sentence most."""
    return max(held, key=lambda one: one.probabilities.entailment)


class NliAsker:
    """Holds sentences against premises, with few and large calls of the model.

    Args:
        nli: The model.
        temperature: Positive divisor of the logits before the softmax.
        exhaustive: Whether sentences are held against all their premises, or only until one settles them.
        judge: Turns what the model says of a sentence and a premise into what to make of it.

    Attributes:
        pairs: Pairs asked for so far.
        cached_pairs: Those of them that were not computed: the job had asked for them before, or the model knew them.
        seconds: Time that the model took.
    """

    def __init__(
        self,
        nli: Nli,
        temperature: float,
        *,
        exhaustive: bool = False,
        judge: Judge = as_said,
    ) -> None:
        self.pairs = 0
        self.cached_pairs = 0
        self.seconds = 0.0
        self._nli = nli
        self._temperature = temperature
        self._exhaustive = exhaustive
        self._judge = judge
        self._chars = 0
        self._admitted: set[tuple[str, str]] = set()
        self._known: dict[tuple[str, str], Probabilities] = {}

    def hold(
        self,
        claims: Sequence[tuple[str, Sequence[Premise]]],
        until: Callable[[Probabilities], bool] = is_sure,
        judge: Judge | None = None,
    ) -> list[list[Held]]:
        """Hold claims against their premises, one after another until a premise settles the claim.

        One call of the model asks for a premise of every claim that is still open; where the job is to be exhaustive,
        for all premises of all claims.

        Args:
            claims: Cleaned sentences, each with its premises, the cheapest first.
            until: Whether a premise that is judged so settles its claim.
            judge: Judges in the place of the asker's own.

        Returns:
            For each claim the premises that it was held against, in order: all, or those up to the one that settled it.

        Raises:
            ModelError: The model gave something that is no probability.
            TooMuchWorkError: The job could need the model for longer than any job may.
        """
        judge = judge or self._judge
        self._admit([(premise.text, claim) for claim, premises in claims for premise in premises])
        held: list[list[Held]] = [[] for _ in claims]
        step = max((len(premises) for _, premises in claims), default=0) if self._exhaustive else 1
        open_claims = list(range(len(claims)))
        while open_claims := [place for place in open_claims if len(held[place]) < len(claims[place][1])]:
            asked = [(place, claims[place][1][len(held[place]) :][:step]) for place in open_claims]
            answers = iter(self._ask([(premise.text, claims[place][0]) for place, some in asked for premise in some]))
            for place, some in asked:
                held[place] += [judge(claims[place][0], premise, next(answers)) for premise in some]
            open_claims = [place for place in open_claims if not until(held[place][-1].probabilities)]
        return held

    def _admit(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Count what the pairs could cost, before the first of them does."""
        new = set(pairs) - self._admitted
        self._admitted |= new
        self._chars += sum(len(premise) + len(hypothesis) for premise, hypothesis in new)
        if self._chars > MAX_PAIR_CHARS:
            raise TooMuchWorkError(
                f"response_text: needs the model to read {self._chars:,} characters in {len(new):,} pairs, more than "
                f"{MAX_PAIR_CHARS:,}; shorten answer or context, or use profile evidence"
            )

    def _ask(self, pairs: Sequence[tuple[str, str]]) -> list[Probabilities]:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            started = time.perf_counter()
            answers = self._nli.answer(new, self._temperature)
            self.seconds += time.perf_counter() - started
            self.cached_pairs += answers.remembered
            rows = np.asarray(answers.probabilities, np.float64)
            if rows.shape != (len(new), 3) or not np.isfinite(rows).all():
                problem = "values that are not finite" if rows.shape == (len(new), 3) else f"shape {rows.shape}"
                raise ModelError(
                    f"the NLI model gave {problem} for {len(new)} pairs: check it with `groundwire models verify`"
                )
            rows = rows.clip(0.0, 1.0).round(DECIMALS)
            self._known.update(zip(new, (Probabilities(*row) for row in rows.tolist()), strict=True))
        self.pairs += len(pairs)
        self.cached_pairs += len(pairs) - len(new)
        return [self._known[pair] for pair in pairs]
