"""Holds the amounts of a claim against those of its evidence.

An amount is refuted where the evidence has another one in its place and nothing there, or in the rest of the context,
accounts for the claimed one; and where it is so particular that a context that supports it would have to state it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.schemas.names import DiscrepancyKind
from groundwire.worker.scoring.alignment import Word, words_of
from groundwire.worker.scoring.calendar_dates import read_dates
from groundwire.worker.scoring.discrepancy import Discrepancy
from groundwire.worker.scoring.quantities import Quantity, read_quantities
from groundwire.worker.scoring.quantity_agreement import agree, digit_runs, is_remainder, is_worked_out, is_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.alignment import Alignment
    from groundwire.worker.scoring.reading import Reading

MAX_AMOUNTS = 24
"""So many amounts of a claim are held against the evidence; a sentence with more is a table."""

MAX_COUNTERPARTS = 120
"""So many amounts of the evidence can refute one of the claim; a few sentences have no more."""

DISTINCTIVE_DIGITS = 3
"""Numbers of so many digits, zeros at the ends not counted, are not met by chance, and nobody counts up to them."""

NEIGHBOURHOOD = 60
"""So many characters beside an amount hold its neighbours."""

BEHIND = 2
"""So many words behind an amount may say what is counted."""

AHEAD = 3
"""So many words before an amount may say what it is of."""


def number_discrepancy(
    claim: str, evidence: str, wider: Sequence[Reading], alignments: Sequence[Alignment]
) -> Discrepancy | None:
    """Find an amount of a claim that its evidence refutes.

    Args:
        claim: The sentence.
        evidence: What it is held against.
        wider: The texts of the context, which can account for an amount but not refute one.
        alignments: The claim beside each sentence of the evidence.
    """
    claimed = _stated(claim, read_quantities(claim))[:MAX_AMOUNTS]
    if not claimed:
        return None
    known = read_quantities(evidence)
    missing = [quantity for quantity in claimed if not any(agree(quantity, other) for other in known)]
    if not missing:
        return None
    elsewhere = [quantity for text in wider for quantity in text.quantities]
    stated = _stated(evidence, known)[:MAX_COUNTERPARTS]
    spare = [other for other in stated if not any(agree(quantity, other) for quantity in claimed)]
    for quantity in missing:
        words = claim[quantity.start : quantity.end]
        if any(agree(quantity, other) and (other.unit or not quantity.unit) for other in elsewhere):
            continue
        if quantity.unit is None and is_written(words, digit_runs(evidence).union(*(text.digits for text in wider))):
            continue
        if is_remainder(quantity, known):
            continue
        other = next((each for each in spare if _replaces(claim, quantity, evidence, each, alignments)), None)
        if other is None and is_worked_out(quantity, known, evidence):
            continue
        other = other or next((each for each in spare if _is_alike(claim, quantity, evidence, each)), None)
        if other is not None:
            kind = DiscrepancyKind.UNIT if _differ_in_unit_alone(quantity, other) else DiscrepancyKind.NUMBER
            return Discrepancy(kind, words, evidence[other.start : other.end])
        if _is_distinctive(words, quantity) and not _is_next_year(quantity, [*known, *elsewhere]):
            return Discrepancy(DiscrepancyKind.NUMBER, words, "")
    return None


def _stated(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Give the amounts that are written as numbers, but for 1, which is often a pronoun, and the days of dates."""
    dates = read_dates(text)
    return [
        quantity
        for quantity in quantities
        if quantity.plain
        and (quantity.values[0] != 1 or quantity.unit is not None or text[quantity.start] == "1")
        and (quantity.is_year or not any(date.start <= quantity.start < date.end for date in dates))
    ]


def _replaces(claim: str, claimed: Quantity, evidence: str, other: Quantity, alignments: Sequence[Alignment]) -> bool:
    """Tell whether two amounts stand in each other's place between words that claim and evidence share."""
    return _are_comparable(claim, claimed, evidence, other) and any(
        substitution.is_close
        and any(word.start < claimed.end and claimed.start < word.end for word in substitution.claimed)
        and any(word.start < other.end and other.start < word.end for word in substitution.found)
        for alignment in alignments
        for substitution in alignment.substitutions
    )


def _is_alike(claim: str, claimed: Quantity, evidence: str, other: Quantity) -> bool:
    """Tell whether two amounts are of the same things: words with content beside them are the same."""
    if not _are_comparable(claim, claimed, evidence, other):
        return False
    behind = _keys(_behind(claim, claimed)) & _keys(_behind(evidence, other))
    return bool(behind or _keys(_ahead(claim, claimed)) & _keys(_ahead(evidence, other)))


def _are_comparable(claim: str, claimed: Quantity, evidence: str, other: Quantity) -> bool:
    """Tell whether one amount could replace the other: two places, two years, or two amounts of a dimension.

    What reads as a year is also a count where the next word says what is counted on both sides.
    """
    if claimed.ordinal != other.ordinal or _dimension(claimed) != _dimension(other):
        return False
    return claimed.is_year == other.is_year or bool(
        _keys(_behind(claim, claimed)[:1]) & _keys(_behind(evidence, other)[:1])
    )


def _dimension(quantity: Quantity) -> str | None:
    return quantity.unit.dimension if quantity.unit else None


def _behind(text: str, quantity: Quantity) -> tuple[Word, ...]:
    return words_of(text[quantity.end : quantity.end + NEIGHBOURHOOD])[:BEHIND]


def _ahead(text: str, quantity: Quantity) -> tuple[Word, ...]:
    return words_of(text[max(0, quantity.start - NEIGHBOURHOOD) : quantity.start])[-AHEAD:]


def _keys(words: Sequence[Word]) -> set[str]:
    return {word.key for word in words if word.has_content}


def _differ_in_unit_alone(claimed: Quantity, other: Quantity) -> bool:
    return claimed.unit != other.unit and bool(set(claimed.values) & set(other.values))


def _is_next_year(quantity: Quantity, stated: Sequence[Quantity]) -> bool:
    """Tell whether a year stands beside a stated one, from which `last June` or `next season` leads to it."""
    return quantity.is_year and any(
        other.is_year and abs(other.values[0] - quantity.values[0]) <= 1 for other in stated
    )


def _is_distinctive(words: str, quantity: Quantity) -> bool:
    """Tell whether an amount is so particular that a context that supports it has to state it."""
    digits = re.sub(r"\D", "", words).strip("0")
    return not quantity.ordinal and not quantity.hedge and (quantity.is_year or len(digits) >= DISTINCTIVE_DIGITS)
