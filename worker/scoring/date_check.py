"""Holds the dates of a claim against those of its evidence: another day, month, year or weekday refutes it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from groundwire.schemas.names import DiscrepancyKind
from groundwire.worker.scoring.calendar_dates import CalendarDate, names_relative_day, read_dates, weekdays
from groundwire.worker.scoring.discrepancy import Discrepancy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.alignment import Alignment
    from groundwire.worker.scoring.reading import Reading

SAME_EVENT = 0.6
"""Share of the claim's content words that a sentence about the same event has; its date is the one meant."""

WEEK = 7
"""So many days at most lie between the day of a text and what it tells by weekdays."""


def date_discrepancy(
    claim: str, evidence: str, wider: Sequence[Reading], alignments: Sequence[Alignment]
) -> Discrepancy | None:
    """Find a date or weekday of a claim that its evidence refutes.

    Args:
        claim: The sentence.
        evidence: What it is held against.
        wider: The texts of the context, which can account for a date but not refute one.
        alignments: The claim beside each sentence of the evidence.
    """
    known = read_dates(evidence)
    for date in read_dates(claim):
        everywhere = chain(known, *(text.dates for text in wider))
        if not date.sure or any(date.agrees(other) for other in everywhere):
            continue
        for other in known:
            if _may_be_of_the_text(date, other, evidence):
                continue
            if other.sure and (_nearly_the_same(date, other) or _of_one_event(date, other, known, alignments)):
                found = evidence[other.start : other.end]
                return Discrepancy(DiscrepancyKind.DATE, claim[date.start : date.end], found)
    return _other_weekday(claim, evidence, wider, alignments)


def _may_be_of_the_text(date: CalendarDate, other: CalendarDate, evidence: str) -> bool:
    """Tell whether a date may say when the evidence was written, which tells the claimed day by a weekday."""
    if (date.year, date.month) != (other.year, other.month) or date.day is None or other.day is None:
        return False
    return abs(date.day - other.day) <= WEEK and (bool(weekdays(evidence)) or names_relative_day(evidence))


def _nearly_the_same(date: CalendarDate, other: CalendarDate) -> bool:
    """Tell whether two dates share two of day, month and year, and differ in the third."""
    return date.common(other) >= 2 and date.differing(other) == 1  # noqa: PLR2004  # two of three parts


def _of_one_event(
    date: CalendarDate, other: CalendarDate, known: Sequence[CalendarDate], alignments: Sequence[Alignment]
) -> bool:
    """Tell whether a sentence that says nearly what the claim says has this date, and no second one."""
    for alignment in alignments:
        if alignment.shared < SAME_EVENT or not alignment.sentence:
            continue
        start, end = alignment.sentence[0].start, alignment.sentence[-1].end
        dates = {(each.year, each.month, each.day) for each in known if start <= each.start < end}
        if dates == {(other.year, other.month, other.day)} and start <= other.start < end:
            return date.common(other) >= 1
    return False


def _other_weekday(
    claim: str, evidence: str, wider: Sequence[Reading], alignments: Sequence[Alignment]
) -> Discrepancy | None:
    stated = {number for _, _, number in weekdays(evidence)}
    for start, end, number in weekdays(claim):
        if number in stated or any(number in text.weekdays for text in wider):
            continue
        for alignment in alignments:
            for substitution in alignment.substitutions:
                if substitution.is_close and any(word.start == start for word in substitution.claimed):
                    for word in substitution.found:
                        if weekdays(word.text):
                            return Discrepancy(DiscrepancyKind.DATE, claim[start:end], word.text)
    return None
