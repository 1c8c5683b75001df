"""Whether a quantised model still says what it said in fp32, on pairs that come with Groundwire.

That has to be measured for each model: a v3-base in int8 was reported near chance where the xsmall lost nothing.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.head import LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PAIRS_FILE = "verification_pairs.jsonl"
SMALLEST_AGREEMENT = 0.98
"""Share of the pairs that must keep their label, near ties left aside."""

NEAR_TIE = 0.1
"""Difference of two labels' probabilities in fp32 up to which either label may come out.

Rounding turns such pairs in any model, and a few of them in a hundred would decide instead of what is broken.
"""

LARGEST_DIFFERENCE = 0.03
"""Mean change of the probability of entailment that is let pass: twice what the embedded model is allowed."""

CHANCE_ACCURACY = 0.6
"""Share of right labels below which a model is not doing NLI as its labels say; published ones reach 0.85."""

ENTAILMENT = LABELS.index("entailment")


@dataclass(frozen=True)
class Comparison:
    """How far two models agree on the same pairs.

    Attributes:
        same_label: Share of the pairs with the same label.
        agreement: The same, where a label that is nearly as probable in fp32 as the first counts as the same.
        difference: Mean absolute difference of the probability of entailment.
    """

    same_label: float
    agreement: float
    difference: float

    @property
    def passed(self) -> bool:
        """Whether one can stand for the other."""
        return self.agreement >= SMALLEST_AGREEMENT and self.difference <= LARGEST_DIFFERENCE

    def __str__(self) -> str:
        labels = f"same label for {self.same_label:.1%} of the pairs, {self.agreement:.1%} with near ties"
        return f"{labels}; mean change of entailment {self.difference:.4f}"


@dataclass(frozen=True)
class VerificationPairs:
    """The labelled pairs.

    Attributes:
        pairs: (premise, hypothesis).
        labels: For each pair the place of its label in LABELS.
        sha256: Hash of their file.
    """

    pairs: Sequence[tuple[str, str]]
    labels: NDArray[np.int64]
    sha256: str

    def accuracy(self, probabilities: NDArray[np.float32]) -> float:
        """Give the share of pairs whose most probable label is the right one."""
        return float((probabilities.argmax(1) == self.labels).mean())


@cache
def verification_pairs() -> VerificationPairs:
    """Read the pairs that come with Groundwire: 120 of them, as many of each label."""
    content = (files("groundwire.models") / "data" / PAIRS_FILE).read_bytes()
    rows = [json.loads(line) for line in content.splitlines()]
    return VerificationPairs(
        pairs=tuple((row["premise"], row["hypothesis"]) for row in rows),
        labels=np.array([LABELS.index(row["label"]) for row in rows]),
        sha256=hashlib.sha256(content).hexdigest(),
    )


def compare(candidate: NDArray[np.float32], reference: NDArray[np.float32]) -> Comparison:
    """Compare probabilities [pairs, 3] of two models; those that are no numbers agree with nothing."""
    usable = np.asarray(np.isfinite(candidate).all(axis=1))
    difference = np.abs(candidate[:, ENTAILMENT] - reference[:, ENTAILMENT])
    found = np.where(usable[:, None], candidate, 0.0).argmax(1)
    behind = reference.max(1) - reference[np.arange(len(found)), found]
    return Comparison(
        same_label=float((usable & (found == reference.argmax(1))).mean()),
        agreement=float((usable & (behind <= NEAR_TIE)).mean()),
        difference=float(np.where(usable, difference, 1.0).mean()),
    )
