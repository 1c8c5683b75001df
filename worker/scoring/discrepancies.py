"""Holds numbers, dates, units, names and negations of a claim against its evidence, by rules alone.

A language model that reads `438 million` where the evidence has `38 million` is often sure that the one follows from
the other. These rules are the check on that: they can veto an entailment, never make one, and leave alone what they are
not sure of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.worker.scoring.alignment import align
from groundwire.worker.scoring.date_check import date_discrepancy
from groundwire.worker.scoring.discrepancy import Discrepancy
from groundwire.worker.scoring.name_check import name_discrepancy
from groundwire.worker.scoring.negation_check import negation_discrepancy
from groundwire.worker.scoring.number_check import number_discrepancy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.reading import Reading

__all__ = ["Discrepancy", "discrepancy"]

_BLANKS = re.compile(r"\s+")


def discrepancy(claim: str, evidence: str, wider: Sequence[Reading] = ()) -> Discrepancy | None:
    """Find a point in which a claim is refuted by the evidence that is said to entail it.

    A claim that stands word for word in its evidence has none.

    Args:
        claim: A sentence of an answer.
        evidence: The context sentences from which it is said to follow, as one text.
        wider: The texts of the context, which can account for a number, date or name that the evidence lacks, and so
            only ever prevents a discrepancy.

    Returns:
        The first discrepancy, in the order date, number or unit, name, negation; None where there is none for sure.
    """
    if _stands_in(claim, evidence):
        return None
    alignments = align(claim, evidence)
    return (
        date_discrepancy(claim, evidence, wider, alignments)
        or number_discrepancy(claim, evidence, wider, alignments)
        or name_discrepancy(claim, evidence, wider, alignments)
        or negation_discrepancy(claim, evidence, alignments)
    )


def _stands_in(claim: str, evidence: str) -> bool:
    """Tell whether a claim stands in a text word for word; `5` does not stand in `5.3`."""
    bare = _BLANKS.sub(" ", claim).strip(" .!?\"'“”")
    if not bare:
        return True
    whole = rf"(?<![\w.,]){re.escape(bare)}(?![\w%]|[.,]\d)"
    return re.search(whole, _BLANKS.sub(" ", evidence)) is not None
