"""Asks the NLI model for the pairs of a job, each different pair once, and keeps count and time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groundwire.schemas import Label, ModelError, TooMuchWorkError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.ports import Nli
    from groundwire.worker.scoring.premises import Premise

MAX_PAIR_CHARS = 10_000_000
"""Characters that the model reads for one job at most, premises and sentences together: some twenty minutes of a core.
The largest answer needs a fifth of it under profile `evidence`; profile `original` could ask for days."""

DECIMALS = 6
"""Digits that are kept of a probability: the rest is noise of quantised arithmetic."""


class Probabilities(NamedTuple):
    """What the model says of a (premise, hypothesis) pair; the three sum to one, within rounding."""

    entailment: float
    neutral: float
    contradiction: float


class Held(NamedTuple):
    """A sentence held against one of its premises."""

    premise: Premise
    probabilities: Probabilities


def label_of(probabilities: Probabilities) -> Label:
    """Give the most probable label. In a tie entailment loses to both others, and contradiction to neutral."""
    entailment, neutral, contradiction = probabilities
    if entailment > neutral and entailment > contradiction:
        return Label.ENTAILMENT
    return Label.CONTRADICTION if contradiction > neutral else Label.NEUTRAL


def most_entailing(held: Sequence[Held]) -> Held:
    """Give the premise that entails its sentence most."""
    return max(held, key=lambda one: one.probabilities.entailment)


class NliAsker:
    """Answers pairs from one call of the model for each list of pairs that are new to it.

    Attributes:
        pairs: Pairs asked for so far.
        cached_pairs: Those of them that had been asked for before.
        seconds: Time that the model took.
    """

    def __init__(self, nli: Nli, temperature: float) -> None:
        self.pairs = 0
        self.cached_pairs = 0
        self.seconds = 0.0
        self._nli = nli
        self._temperature = temperature
        self._chars = 0
        self._known: dict[tuple[str, str], Probabilities] = {}

    def ask(self, pairs: Sequence[tuple[str, str]]) -> list[Probabilities]:
        """Give the probabilities of each (premise, hypothesis) pair, in order.

        Raises:
            ModelError: The model gave something that is no probability.
            TooMuchWorkError: The job needs the model for longer than any job may.
        """
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._chars += sum(len(premise) + len(hypothesis) for premise, hypothesis in new)
        if self._chars > MAX_PAIR_CHARS:
            raise TooMuchWorkError(
                f"response_text: needs the model to read {self._chars:,} characters in {len(new):,} pairs, more than "
                f"{MAX_PAIR_CHARS:,}; shorten answer or context, or use profile evidence"
            )
        if new:
            started = time.perf_counter()
            rows = np.asarray(self._nli.score(new, self._temperature), np.float64)
            self.seconds += time.perf_counter() - started
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

    def hold(self, claims: Sequence[tuple[str, Sequence[Premise]]]) -> list[list[Held]]:
        """Hold claims against premises, all of them in one call of the model.

        Args:
            claims: Cleaned sentences, each with its premises.

        Raises:
            ModelError: The model gave something that is no probability.
        """
        answers = iter(self.ask([(premise.text, claim) for claim, premises in claims for premise in premises]))
        return [[Held(premise, next(answers)) for premise in premises] for _, premises in claims]
