"""Turns what the NLI model says of a claim and a premise into how likely it is that the premise supports the claim.

The log-odds of support are a weighted sum: the log-odds of entailment, less the probability of contradiction, less a
penalty for each number and name of the claim that the chunks about it lack. So a premise that half entails and half
contradicts counts less than one that half entails and leaves the rest open, and a fluent sentence with a wrong name
counts less than the model alone would have it. docs/accuracy.md has the fit. On top of it a discrepancy found by rules
(`groundwire.worker.scoring.discrepancies`) is a veto; nothing here makes an entailment of what is none for the model,
but for the odds between them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from groundwire.models.scripts import is_latin
from groundwire.worker.scoring.asking import Held, Probabilities
from groundwire.worker.scoring.discrepancies import discrepancy
from groundwire.worker.scoring.reading import Reading
from groundwire.worker.scoring.subject import shares_content
from groundwire.worker.scoring.unfounded import Missing, missing_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from groundwire.worker.scoring.context import ContextField
    from groundwire.worker.scoring.premises import Premise
    from groundwire.worker.scoring.profiles import Support

MOST_LOG_ODDS = 6.0
"""Log-odds of entailment beyond which a probability is only rounding: 1 in 400."""

LEAST_PROBABILITY = 1e-6
"""Keeps the logarithm of a probability of 0 finite; the model's six decimals end there."""


class Features(NamedTuple):
    """What is weighed of a claim and a premise.

    Attributes:
        entailment: Log-odds of entailment, within MOST_LOG_ODDS.
        contradiction: Probability of contradiction, 0..1.
        numbers: Numbers of the claim that the chunks about it lack, as far as they count.
        names: Names that they lack.
    """

    entailment: float
    contradiction: float
    numbers: int
    names: int


class SupportJudge:
    """Judges claims against premises of one context.

    Args:
        context: The whole context, whichever part of it the premises are from.
        weights: The numbers of the sum.
        chunks_about: Gives the chunks that are about a claim: what stands in them, or in those of its premise, is not
            invented. A number that a chunk about something else has by chance founds nothing. None: all chunks are.
    """

    def __init__(
        self,
        context: tuple[ContextField, ...],
        weights: Support,
        chunks_about: Callable[[str], Collection[int]] | None = None,
    ) -> None:
        chunks: dict[int, list[str]] = {}
        for field in context:
            chunks.setdefault(field.context_index, []).append(field.text)
        self._readings = {chunk: Reading("\n".join(texts)) for chunk, texts in chunks.items()}
        self._weights = weights
        self._chunks_about = chunks_about
        self._about: dict[str, frozenset[int]] = {}
        self._missing: dict[tuple[str, frozenset[int]], Missing] = {}

    def judge(self, claim: str, premise: Premise, said: Probabilities) -> Held:
        """Give a claim held against a premise.

        Args:
            claim: The sentence, cleaned.
            premise: What it was held against.
            said: What the model says of the two.

        Returns:
            The two with the probability of support as that of entailment. What is left to 1 is shared between the other
            two as the model shares it.
        """
        odds = self._odds(claim, premise, said)
        if odds > self._weights.unrelated and _is_unrelated(claim, premise.text):
            odds = self._weights.unrelated
        wider = [self._readings[chunk] for chunk in sorted(self._chunks(claim, premise))]
        found = discrepancy(claim, premise.text, wider) if odds > 0 else None
        if found is not None:
            odds = self._weights.vetoed
        entailment = 1 / (1 + math.exp(-odds))
        probabilities = _shared(entailment, said)
        return Held(premise, probabilities, said, found.kind if found else None)

    def features(self, claim: str, premise: Premise, said: Probabilities) -> Features:
        """Give what is weighed of a claim and a premise of which the model says so."""
        against = max(1 - said.entailment, LEAST_PROBABILITY)
        entailment = math.log(max(said.entailment, LEAST_PROBABILITY) / against)
        numbers, names = (min(count, self._weights.most_missing) for count in self._missing_of(claim, premise))
        clipped = max(-MOST_LOG_ODDS, min(MOST_LOG_ODDS, entailment))
        return Features(clipped, said.contradiction, numbers, names)

    def _odds(self, claim: str, premise: Premise, said: Probabilities) -> float:
        weights, features = self._weights, self.features(claim, premise, said)
        penalties = weights.missing_number * features.numbers + weights.missing_name * features.names
        against = weights.contradiction * features.contradiction + penalties
        return weights.bias + weights.entailment * features.entailment - against

    def _missing_of(self, claim: str, premise: Premise) -> Missing:
        chunks = self._chunks(claim, premise)
        if (claim, chunks) not in self._missing:
            vocabularies = [self._readings[chunk].vocabulary for chunk in chunks]
            self._missing[claim, chunks] = missing_of(claim, vocabularies)
        return self._missing[claim, chunks]

    def _chunks(self, claim: str, premise: Premise) -> frozenset[int]:
        if claim not in self._about:
            everything = self._readings if self._chunks_about is None else self._chunks_about(claim)
            self._about[claim] = frozenset(everything)
        return self._about[claim].union(passage.source.context_index for passage in premise.passages)


def _is_unrelated(claim: str, premise: str) -> bool:
    """Tell whether a premise has nothing to do with a claim, as far as words can tell: those of two scripts can't."""
    return not shares_content(claim, premise) and is_latin(claim) and is_latin(premise)


def _shared(entailment: float, said: Probabilities) -> Probabilities:
    """Share what entailment leaves to 1 between the other two as the model does.

    Half a probability decides: up to there, the more probable of the two gets at least as much as entailment.
    """
    rest = 1 - entailment
    others = said.neutral + said.contradiction
    contradiction = rest * (said.contradiction / others) if others else 0.0
    contradicts = contradiction > rest / 2
    larger = max(contradiction, rest - contradiction)
    if larger < entailment <= rest:
        larger = entailment
    return Probabilities(entailment, *((rest - larger, larger) if contradicts else (larger, rest - larger)))
