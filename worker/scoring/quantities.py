"""Reads the amounts of a text: digits, number words, magnitudes, units, ordinals, fractions, years and decades."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from groundwire.worker.scoring.quantity_words import (
    CURRENCY,
    PERCENT,
    Unit,
    load_quantity_words,
    load_units,
    one_of,
)
from groundwire.worker.scoring.spelled_numbers import spelled_numbers
from groundwire.worker.scoring.written_numbers import written_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

YEARS = range(1000, 2101)
"""Bare whole numbers of four digits that may be years; those ahead of us are mostly counts."""

CENTURY = 100
DECADE = 10

MAX_HEDGE = 24
"""So many characters before an amount can hold a word such as `approximately`."""

MAX_SIGN = 5
"""So many characters before a number can hold a currency sign such as `US$ `."""

_BETWEEN = re.compile(r"\s?(?:-|\u2013|\u2014|to|and|or)\s?")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount as a text states it.

    Attributes:
        start: Where it begins in the text, with a currency sign before it.
        end: Where it ends, with magnitude and unit.
        values: The numbers that it may mean; several where separators can be read in two ways.
        step: What its last written digit counts, in its own unit; 0 where it is exact.
        unit: Its unit, or None.
        hedge: `about`, `below` or `above` where the words before it say so, otherwise empty.
        ordinal: Whether it names a place in an order.
        plain: Whether it is written as a number, so that it can be held against the evidence; otherwise it is one of
            several readings, or implied by a word such as `both`, and can only account for another number.
        high: The last number of a stretch that begins with the value, such as a decade; None for a single number.
    """

    start: int
    end: int
    values: tuple[float, ...]
    step: float
    unit: Unit | None = None
    hedge: str = ""
    ordinal: bool = False
    plain: bool = True
    high: float | None = None

    @property
    def is_year(self) -> bool:
        """Whether it may be a year, or a decade by its first year."""
        return self.unit is None and not self.ordinal and self.step == 0 and self.values[0] in YEARS


@dataclass(frozen=True, slots=True)
class _Number:
    """A number without what stands around it."""

    start: int
    end: int
    values: tuple[float, ...]
    step: float
    ordinal: bool


def read_quantities(text: str) -> list[Quantity]:
    """Give the amounts of a text, in order, and behind them what is implied by words such as `both`."""
    found: list[Quantity] = []
    taken: set[int] = set()
    for written in written_numbers(text):
        if written.decade:
            last = written.values[0] + DECADE - 1
            found.append(Quantity(written.start, written.end, written.values, 0.0, high=last))
        else:
            exact = written.bare and written.values[0] in YEARS
            step = 0.0 if exact else written.step
            found += _completed(text, _Number(written.start, written.end, written.values, step, written.ordinal))
        taken.update(range(written.start, max(found[-1].end, written.end)))
    for spelled in spelled_numbers(text):
        if spelled.start not in taken:
            number = _Number(spelled.start, spelled.end, (spelled.value,), spelled.step, spelled.ordinal)
            found += _completed(text, number)
            taken.update(range(spelled.start, spelled.end))
    found.sort(key=lambda quantity: quantity.start)
    return [*_with_units_of_stretches(text, found), *_implied(text, taken)]


def _with_units_of_stretches(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """Give the first number of `2-5%` or `10 to 12 km` the unit of the second one."""
    for quantity, following in zip_longest(found, found[1:]):
        if (
            following is not None
            and following.unit is not None
            and quantity.unit is None
            and not quantity.ordinal
            and quantity.plain
            and _BETWEEN.fullmatch(text, quantity.end, following.start)
        ):
            yield replace(quantity, unit=following.unit)
        else:
            yield quantity


def _completed(text: str, number: _Number) -> list[Quantity]:
    """Add what stands around a number: hedge, currency sign, magnitude and unit; a century is a stretch of years."""
    if number.ordinal:
        return _place_or_century(text, number)
    patterns, units, words = _patterns(), load_units(), load_quantity_words()
    start, end, values, step = number.start, number.end, number.values, number.step
    unit: Unit | None = None
    if sign := patterns.sign.search(text, max(0, start - MAX_SIGN), start):
        unit, start = units.find(sign[1])[0], sign.start()
    if magnitude := patterns.magnitude.match(text, end):
        end = magnitude.end()
        values, step = _scaled(values, step, words.magnitudes[magnitude[1].lower()])
    elif letter := patterns.letter.match(text, end):
        scaled, scaled_step = _scaled(values, step, words.letters[letter[1].lower()])
        if unit is None and (other := units.find(letter[1])):  # "38m" may be 38 metres
            return [
                Quantity(start, letter.end(), scaled, scaled_step, plain=False),
                Quantity(start, letter.end(), values, step, other[0], plain=False),
            ]
        if unit is not None or letter[1].lower() == "k":
            values, step, end = scaled, scaled_step, letter.end()
    if unit is None and (name := patterns.unit.match(text, end)):
        candidates, end = units.find(name[1]), name.end()
        if len(candidates) > 1:  # "5 pounds" may be money
            return [Quantity(start, end, values, step, candidate, plain=False) for candidate in candidates]
        unit = candidates[0]
    hedge = patterns.hedge.search(text[max(0, start - MAX_HEDGE) : start])
    kind = words.hedges[re.sub(r"\s+", " ", hedge[1].lower())] if hedge else ""
    return [Quantity(start, end, values, step, unit, kind)]


def _place_or_century(text: str, number: _Number) -> list[Quantity]:
    century = _patterns().century.match(text, number.end)
    if century is None:
        return [Quantity(number.start, number.end, number.values, 0.0, ordinal=True)]
    first = (number.values[0] - 1) * CENTURY
    return [
        Quantity(number.start, century.end(), number.values, 0.0, ordinal=True),
        Quantity(number.start, century.end(), (first,), 0.0, plain=False, high=first + CENTURY),
    ]


def _scaled(values: tuple[float, ...], step: float, factor: float) -> tuple[tuple[float, ...], float]:
    """Multiply by a magnitude. Two digits are meant at least: 2 million is not 1.8 million."""
    finest = max(values[0], 1.0) / 10
    return tuple(value * factor for value in values), min(step or 1.0, finest) * factor


def _implied(text: str, taken: set[int]) -> Iterator[Quantity]:
    """Give what is said without a number, where none was read."""
    percent = load_units().by_name[PERCENT][0]
    for match in _patterns().implied.finditer(text):
        if match.start() not in taken:
            value = load_quantity_words().implied[match[0].lower()]
            yield Quantity(match.start(), match.end(), (value,), 0.0, plain=False)
            if value < 1:
                yield Quantity(match.start(), match.end(), (value * 100,), 0.0, percent, plain=False)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns of what stands around numbers."""

    hedge: re.Pattern[str]
    sign: re.Pattern[str]
    magnitude: re.Pattern[str]
    letter: re.Pattern[str]
    unit: re.Pattern[str]
    century: re.Pattern[str]
    implied: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    words, units = load_quantity_words(), load_units()
    signs = [
        name for name, (unit, *_) in units.by_name.items() if unit.dimension == CURRENCY and len(name) <= MAX_SIGN - 2
    ]
    names, exact = one_of(units.by_name), one_of(units.by_exact)
    return _Patterns(
        hedge=re.compile(rf"(?<!\w)({one_of(words.hedges)})\.?\s*(?:(?:the|a|an)\s)?$", re.IGNORECASE),
        sign=re.compile(rf"(?<!\w)({one_of(signs)})\s?$", re.IGNORECASE),
        magnitude=re.compile(rf"[\s-]?({one_of(words.magnitudes)})\b", re.IGNORECASE),
        letter=re.compile(rf"\s?({one_of(words.letters)})(?![\w'\u2019])", re.IGNORECASE),
        unit=re.compile(rf"(?:[\s-]|\sof\s|\sU\.?S\.?\s)?((?:{exact})|(?i:{names}))(?!\w)"),
        century=re.compile(r"[\s-]centur(?:y|ies)\b", re.IGNORECASE),
        implied=re.compile(rf"\b(?:{one_of(words.implied)})\b", re.IGNORECASE),
    )
