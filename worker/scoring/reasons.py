"""Says in a sentence or two why an answer has its score: sentences by their number, never by their text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LISTED = 10
"""Sentences that are named one by one; of more only the number is given."""


def faithfulness_reason(labels: Sequence[Label | None]) -> str:
    """Say how many sentences are supported, and which are contradicted or left open.

    Args:
        labels: Label of every sentence of the answer in order, None where it was not scored; at least one is scored.
    """
    scored = sum(label is not None for label in labels)
    entailed = labels.count(Label.ENTAILMENT)
    first = f"The context supports {entailed} of {scored} scored {_plural(scored)}."
    if entailed == scored:
        return first
    parts = [
        f"{verb} {_listed([number for number, label in enumerate(labels, 1) if label is wanted])}"
        for wanted, verb in ((Label.CONTRADICTION, "contradicts"), (Label.NEUTRAL, "neither supports nor contradicts"))
        if wanted in labels
    ]
    return f"{first} It {', and '.join(parts)}."


def _plural(count: int) -> str:
    return "sentence" if count == 1 else "sentences"


def _listed(numbers: Sequence[int]) -> str:
    shown = [str(number) for number in numbers[:MAX_LISTED]]
    left = len(numbers) - len(shown)
    if left:
        shown.append(f"{left} more")
    together = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
    return f"{_plural(len(numbers))} {together}"
