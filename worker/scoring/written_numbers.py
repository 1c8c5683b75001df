"""Reads numbers that are written in digits: `1,234.5`, `1.234,5`, `10 000`, `3½`, `1/2`, `21st`, `1990s`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = 3
"""So many digits stand between the separators of a long number."""

MAX_DIGITS = 30
"""Longer runs of digits are keys and identifiers, not amounts."""

YEAR_DIGITS = 4
EXACT_DIGITS = 3
"""A whole number of so many digits is meant as it stands; longer ones that end in zeros are often rounded."""

ROUNDED_DIGITS = 2
"""Of a longer one so many digits are meant at least: 8,000 is not 7,000."""

_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}
_HALVES = "".join(_VULGAR)
_MARK = r" , | \. |[,.'\u2019\u00a0\u2009\u202f ]"  # the first two: a text whose marks were set apart
_GROUPED = rf"\d{{1,3}}(?P<mark>{_MARK})\d{{3}}(?:(?P=mark)\d{{3}})*(?!\d)(?:[.,]\d+)?"
_DIGITS = re.compile(
    r"(?<![^\W\d_])(?<![A-Z]-)(?<!\d)(?<!\d[.,])"  # not inside a word or another number, nor in a name such as B-52
    rf"(?P<number>{_GROUPED}|\d+(?:[.,]\d+)?|\.\d+)?(?P<vulgar>[{_HALVES}])?(?<=[\d{_HALVES}])"
    r"(?P<suffix>(?:st|nd|rd|th)\b|['\u2019]?s\b)?"
)
_DENOMINATOR = re.compile(r"/(\d{1,3})(?![\d/])")


class WrittenNumber(NamedTuple):
    """A number in digits.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        values: The numbers that it may mean: `1.234` may be 1.234 or 1234.
        step: What its last digit counts that isn't a rounded zero; 0 for a fraction.
        ordinal: Whether it names a place in an order, such as `21st`.
        decade: Whether it is one, such as `1990s`.
        bare: Whether it is four digits without any mark, as years are written.
    """

    start: int
    end: int
    values: tuple[float, ...]
    step: float
    ordinal: bool
    decade: bool
    bare: bool


def written_numbers(text: str) -> Iterator[WrittenNumber]:
    """Give the numbers of a text that are written in digits, in order."""
    reached = 0
    for match in _DIGITS.finditer(text):
        if match.start() < reached:  # the denominator of a fraction
            continue
        number, vulgar, suffix = match["number"] or "", match["vulgar"], match["suffix"] or ""
        digits = re.sub(r"\D", "", number)
        if len(digits) > MAX_DIGITS or not digits.isascii():
            continue
        values, step = _read(number) if number else ((0.0,), 0.0)
        end = match.end()
        if vulgar:
            values, step = tuple(value + _VULGAR[vulgar] for value in values), 0.0
        fraction = _DENOMINATOR.match(text, end)
        if fraction and number.isdecimal() and 0 < int(number) < int(fraction[1]):
            values, step, end = (int(number) / int(fraction[1]),), 0.0, fraction.end()
        reached = end
        plural = suffix.endswith("s")
        decade = plural and values[0] % 10 == 0
        yield WrittenNumber(
            start=match.start(),
            end=end - len(suffix) if plural and not decade else end,
            values=values,
            step=step,
            ordinal=bool(suffix) and not plural,
            decade=decade,
            bare=number.isdecimal() and len(number) == YEAR_DIGITS and end == match.end(),
        )


def _read(number: str) -> tuple[tuple[float, ...], float]:
    """Give what digits with separators may mean, and what the last digit counts."""
    number = number.replace(" , ", ",").replace(" . ", ",")
    marks = [character for character in number if not character.isdecimal()]
    if not marks:
        return (float(number),), _step_of_whole(number)
    last = marks[-1]
    whole, _, tail = number.rpartition(last)
    digits = re.sub(r"\D", "", number)
    decimal = float(f"{re.sub(r'[^0-9]', '', whole) or '0'}.{tail}")
    head = re.split(r"\D", number)[0]
    grouped = len(tail) == GROUP and len(set(marks)) == 1 and 0 < len(head) <= GROUP and not head.startswith("0")
    if not grouped:
        return (decimal,), 10.0 ** -len(tail)
    if marks == ["."]:
        return (decimal, float(digits)), 10.0**-GROUP
    return (float(digits),), _step_of_whole(digits)


def _step_of_whole(digits: str) -> float:
    if len(digits) <= EXACT_DIGITS:
        return 1.0
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** min(zeros, len(digits) - ROUNDED_DIGITS)
