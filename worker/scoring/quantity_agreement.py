"""Tells whether an amount is accounted for: stated as it is, rounded, converted, or worked out of what is stated."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from groundwire.worker.scoring.quantity_words import CURRENCY, PERCENT, PERCENTAGE_POINT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.quantities import Quantity

CONVERSION_SLACK = 0.05
"""How far a converted amount may be off, as a share: people round when they convert."""

HEDGE_SLACK = 0.1
"""How far off `about` may be, as a share."""

BOUND_SLACK = 0.2
"""How far beyond a bound such as `over` or `nearly` the amount may lie, as a share."""

FLOAT_SLACK = 1e-9
"""Room for the last digits of floating-point numbers, as a share."""

MAX_DERIVED_FROM = 24
"""Amounts from which others are worked out, at most; pairs of more would hit on any number by chance."""

SMALL_COUNT = 20
"""Up to here a bare whole number may be a count of what the evidence lists."""

TIME = "time"
"""The dimension of durations."""

MAX_SPAN = 200
"""A difference of so many years at most leads from one year to another."""

CENTURY = 100
HUNDRED_PERCENT = 100

_LIST_ITEM = re.compile(r",\s|;\s|\s(?:and|or|&|plus)\s|\n")
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")


def agree(claimed: Quantity, other: Quantity) -> bool:
    """Tell whether a claimed amount can be another one, within the rounding that the claim states.

    Amounts of units that can't be compared don't agree, but a number without a unit agrees with one that has a unit.
    """
    mine, theirs, room = claimed.values, other.values, _Room(claimed.step, 0.0)
    if claimed.unit and other.unit and claimed.unit != other.unit:
        if not _can_convert(claimed, other):
            return False
        mine = tuple(claimed.unit.in_first(value) for value in mine)
        theirs = tuple(other.unit.in_first(value) for value in theirs)
        room = _Room(claimed.step * claimed.unit.size, CONVERSION_SLACK)
    elif _is_share(claimed) != _is_share(other):  # 0.5 is 50%
        mine = (*mine, *(value / HUNDRED_PERCENT for value in mine)) if _is_share(claimed) else mine
        theirs = (*theirs, *(value / HUNDRED_PERCENT for value in theirs)) if _is_share(other) else theirs
    return any(
        _within(claimed, value, other, against)
        or _is_rounded(claimed, value, other, against, room)
        or _is_hedged(claimed, value, other, against)
        for value in mine
        for against in theirs
    )


def is_worked_out(claimed: Quantity, known: Sequence[Quantity], evidence: str) -> bool:
    """Tell whether an amount may be a sum, difference, product, share or count of what the evidence states."""
    sources = known[:MAX_DERIVED_FROM]
    room = claimed.step / 2 + FLOAT_SLACK
    alike = [value for source in sources if _dimension(source) == _dimension(claimed) for value in source.values]
    results = [sum(alike)]
    if _is_share(claimed):
        results += [HUNDRED_PERCENT * source.values[0] for source in sources if not _is_share(source)]
    if claimed.unit is None and claimed.values[0] <= SMALL_COUNT:
        results.append(1 + len(_LIST_ITEM.findall(evidence)))
    for one, two in combinations(sources, 2):
        results += _results_of_two(claimed, one, two)
    return any(abs(result - value) <= room for result in results for value in claimed.values)


def _results_of_two(claimed: Quantity, one: Quantity, two: Quantity) -> list[float]:
    """Give what two amounts can make that is of the claimed dimension."""
    wanted, dimensions = _dimension(claimed), (_dimension(one), _dimension(two))
    low, high = sorted((one.values[0], two.values[0]))
    if claimed.is_year:  # a year and a number of years lead to another year
        return [high - low, high + low] if TIME in dimensions and low <= MAX_SPAN <= high else []
    if one.is_year and two.is_year:
        return [high - low, high - low + 1] if wanted in {None, TIME} else []
    results: list[float] = []
    if dimensions == (wanted, wanted):
        results += [high - low, high + low]
        if wanted in {None, TIME}:  # first and last day counted
            results.append(high - low + 1)
    if wanted in dimensions and None in dimensions:
        results.append(high * low)
    if dimensions[0] == dimensions[1] and low > 0 and (wanted is None or _is_share(claimed)):
        results.append(high / low)
        if _is_share(claimed):
            results += [HUNDRED_PERCENT * low / high, HUNDRED_PERCENT * (high - low) / low]
    return results


def _dimension(quantity: Quantity) -> str | None:
    return quantity.unit.dimension if quantity.unit else None


def is_remainder(claimed: Quantity, known: Sequence[Quantity]) -> bool:
    """Tell whether a share is what another one leaves of the whole: 30% voted against it where 70% voted for it."""
    return _is_share(claimed) and any(
        _is_share(other) and abs(HUNDRED_PERCENT - against - value) <= FLOAT_SLACK
        for value in claimed.values
        for other in known
        for against in other.values
    )


def is_written(words: str, digits: frozenset[str]) -> bool:
    """Tell whether the digits of an amount stand in a text, whatever they are part of there.

    Args:
        words: The amount, as the claim has it.
        digits: The runs of digits of the text.
    """
    wanted = digit_runs(words)
    if not wanted or all(len(run) == 1 for run in wanted):  # single digits stand everywhere
        return False
    return wanted <= digits


def digit_runs(text: str) -> frozenset[str]:
    """Give the runs of digits of a text, without separators of thousands."""
    return frozenset(run.replace(",", "") for run in _DIGITS.findall(text))


class _Room(NamedTuple):
    """How far off a claimed amount may be: half a step, or a share of the other amount."""

    step: float
    slack: float


def _can_convert(claimed: Quantity, other: Quantity) -> bool:
    if claimed.unit is None or other.unit is None or claimed.unit.dimension != other.unit.dimension:
        return False
    points = {claimed.unit.id, other.unit.id} == {PERCENT, PERCENTAGE_POINT}
    return claimed.unit.dimension != CURRENCY and not points


def _is_share(quantity: Quantity) -> bool:
    return quantity.unit is not None and quantity.unit.id in {PERCENT, PERCENTAGE_POINT}


def _within(claimed: Quantity, value: float, other: Quantity, against: float) -> bool:
    """Tell whether a year lies in a decade or century, on either side; two such stretches have to be the same."""
    if claimed.high is not None and other.high is not None:
        return value == against
    if other.high is not None:
        return against <= value <= other.high
    return claimed.high is not None and value <= against <= claimed.high


def _is_rounded(claimed: Quantity, value: float, other: Quantity, against: float, room: _Room) -> bool:
    if value == against:
        return True
    if claimed.is_year or other.is_year:
        short, year = sorted((value, against))
        return claimed.unit == other.unit and short < CENTURY and year % CENTURY == short  # '63 is 1963
    whole = room.step == 1 and against % 1 == 0  # small whole numbers are counts, and exact
    most = max(0.0 if whole else room.step / 2, (room.slack + FLOAT_SLACK) * abs(against))
    return abs(value - against) <= most * (1 + FLOAT_SLACK)


def _is_hedged(claimed: Quantity, value: float, other: Quantity, against: float) -> bool:
    size = max(abs(value), abs(against))
    if "about" in (claimed.hedge, other.hedge) and not (claimed.is_year and other.is_year):
        return abs(value - against) <= HEDGE_SLACK * size
    if claimed.hedge == "above":
        return 0 <= against - value <= BOUND_SLACK * size
    return claimed.hedge == "below" and 0 <= value - against <= BOUND_SLACK * size
