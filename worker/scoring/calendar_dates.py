"""Reads the dates of a text: `March 3, 2020`, `3rd of March`, `2020-03-03`, `3/4/2020`, `March 2020`, `in March`."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from groundwire.worker.scoring.quantity_words import one_of
from groundwire.worker.scoring.word_lists import load_table

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_MONTH = 12
MAX_DAY = 31

_ISO = re.compile(r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\d-])")
_NUMERIC = re.compile(r"(?<![\d/.])(\d{1,2})([/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d/])")


class CalendarDate(NamedTuple):
    """A date as a text states it; what it leaves open is None.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        year: The year, in four digits.
        month: 1 to 12.
        day: 1 to 31.
        sure: Whether it can be read in one way alone, unlike `3/4/2020`.
    """

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None
    sure: bool = True

    def agrees(self, other: CalendarDate) -> bool:
        """Tell whether both can be the same day."""
        return not self.differing(other)

    def differing(self, other: CalendarDate) -> int:
        """Count the parts that both state and that differ."""
        return sum(mine != theirs for mine, theirs in self._stated_by_both(other))

    def common(self, other: CalendarDate) -> int:
        """Count the parts that both state alike."""
        return sum(mine == theirs for mine, theirs in self._stated_by_both(other))

    def _stated_by_both(self, other: CalendarDate) -> Iterator[tuple[int, int]]:
        for mine, theirs in zip(self[2:5], other[2:5], strict=True):
            if mine is not None and theirs is not None:
                yield mine, theirs


def read_dates(text: str) -> list[CalendarDate]:
    """Give the dates of a text that state a month, in order. A stretch of days gives its first and last one."""
    return sorted([*_iso(text), *_numeric(text), *_named(text)])


def weekdays(text: str) -> list[tuple[int, int, int]]:
    """Give the weekdays that a text names: where each begins and ends, and which it is, 0 being Monday."""
    table = _weekday_numbers()
    return [(match.start(), match.end(), table[match[0].lower()]) for match in _weekday_pattern().finditer(text)]


def names_relative_day(text: str) -> bool:
    """Tell whether a text names a day from its own, such as `yesterday`."""
    return re.search(rf"\b(?:{one_of(load_table('calendar')['relative'])})\b", text, re.IGNORECASE) is not None


def _iso(text: str) -> Iterator[CalendarDate]:
    for match in _ISO.finditer(text):
        year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
        if 1 <= month <= MAX_MONTH and 1 <= day <= MAX_DAY:
            yield CalendarDate(match.start(), match.end(), year, month, day)


def _numeric(text: str) -> Iterator[CalendarDate]:
    """Read `3/4/2020` both ways, as nothing says whether the day or the month comes first."""
    for match in _NUMERIC.finditer(text):
        first, second, written = int(match[1]), int(match[3]), match[4]
        year = int(written) if len(written) > 2 else None  # noqa: PLR2004  # two digits don't say which century
        readings = {
            (month, day) for month, day in ((first, second), (second, first)) if 1 <= month <= MAX_MONTH and day
        }
        for month, day in sorted(readings):
            yield CalendarDate(match.start(), match.end(), year, month, day, sure=len(readings) == 1)


def _named(text: str) -> Iterator[CalendarDate]:
    numbers, ambiguous = _month_numbers(), load_table("calendar")["ambiguous"]
    for match in _month_pattern().finditer(text):
        month = numbers[match["month"].lower()]
        year = int(match["year"]) if match["year"] else None
        written = (int(day) for day in match.group("before", "before2", "day", "day2") if day)
        days: list[int | None] = [day for day in written if 1 <= day <= MAX_DAY]
        is_word = match["month"].lower() in ambiguous or match["month"][0].islower()
        if is_word and year is None and not days:
            continue
        for day in days or [None]:
            yield CalendarDate(match.start(), match.end(), year, month, day)


@cache
def _month_numbers() -> dict[str, int]:
    return {name: number for number, names in enumerate(load_table("calendar")["months"], 1) for name in names}


@cache
def _weekday_numbers() -> dict[str, int]:
    return {name: number for number, names in enumerate(load_table("calendar")["weekdays"]) for name in names}


@cache
def _weekday_pattern() -> re.Pattern[str]:
    whole = [name for names in load_table("calendar")["weekdays"] for name in names if name.endswith(("day", "days"))]
    return re.compile(rf"\b(?:{one_of(whole)})\b", re.IGNORECASE)


@cache
def _month_pattern() -> re.Pattern[str]:
    to = r"\s?(?:-|\u2013|\u2014|to|and|&|until|through)\s?"
    return re.compile(
        rf"(?:(?<![\d.,])(?:the\s)?(?P<before>\d{{1,2}})(?:st|nd|rd|th)?"
        rf"(?:{to}(?P<before2>\d{{1,2}})(?:st|nd|rd|th)?)?\s(?:of\s)?)?"
        rf"\b(?P<month>{one_of(list(_month_numbers()))})\b\.?"
        rf"(?:\s(?:the\s)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.]\d|\d|%|\s?(?:million|billion|percent))"
        rf"(?:{to}(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?)?"
        rf"(?:\s?,?\s?(?:of\s|in\s)?(?P<year>1\d{{3}}|20\d{{2}})(?!\d))?",
        re.IGNORECASE,
    )
