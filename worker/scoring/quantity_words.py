"""The words of amounts and units, kept as data in `data/quantities.toml` and `data/units.toml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from groundwire.worker.scoring.word_lists import load_table

if TYPE_CHECKING:
    from collections.abc import Iterable

PERCENT = "percent"
"""The id of the unit in which shares are mostly written."""

PERCENTAGE_POINT = "percentage point"
"""The id of the unit of differences between shares."""

CURRENCY = "currency"
"""The dimension whose units can't be converted into one another by arithmetic alone."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement or a currency.

    Attributes:
        id: Its name.
        dimension: What it measures; amounts of one dimension can be compared.
        size: How many of the dimension's first unit it is; 1 for currencies, which are not converted.
        zero: Where its zero lies in the dimension's first unit; not 0 for temperatures alone.
    """

    id: str
    dimension: str
    size: float
    zero: float

    def in_first(self, value: float) -> float:
        """Convert an amount of this unit into the dimension's first unit."""
        return value * self.size + self.zero


@dataclass(frozen=True, slots=True)
class QuantityWords:
    """Words by which amounts are written, in lower case.

    Attributes:
        cardinals: Words for whole numbers, such as `twelve`.
        ordinals: Words for places, such as `twelfth`.
        implied: Words that say of how many without being numbers, such as `both`.
        fractions: Denominators, such as `thirds`.
        magnitudes: What multiplies the number before it, such as `million`.
        letters: Letters that may stand for a magnitude, such as `k`.
        hedges: How a number is to be taken, by the words before it: `about`, `below` or `above`.
    """

    cardinals: dict[str, float]
    ordinals: dict[str, float]
    implied: dict[str, float]
    fractions: dict[str, float]
    magnitudes: dict[str, float]
    letters: dict[str, float]
    hedges: dict[str, str]


@dataclass(frozen=True, slots=True)
class Units:
    """All units by the ways to write them.

    Attributes:
        by_name: Names in lower case; `pounds` names two.
        by_exact: Symbols whose case matters, such as `m` and `MW`.
    """

    by_name: dict[str, tuple[Unit, ...]]
    by_exact: dict[str, tuple[Unit, ...]]

    def find(self, name: str) -> tuple[Unit, ...]:
        """Find the units that are written so."""
        return self.by_exact.get(name) or self.by_name.get(re.sub(r"\s+", " ", name.lower()), ())


@cache
def load_quantity_words() -> QuantityWords:
    """Load the words of amounts."""
    content = dict(load_table("quantities"))
    hedges = content.pop("hedges")
    return QuantityWords(**content, hedges={phrase: kind for kind, phrases in hedges.items() for phrase in phrases})


@cache
def load_units() -> Units:
    """Load the units."""
    by_name: dict[str, tuple[Unit, ...]] = {}
    by_exact: dict[str, tuple[Unit, ...]] = {}
    for row in load_table("units")["unit"]:
        unit = Unit(row["id"], row["dimension"], row.get("size", 1.0), row.get("zero", 0.0))
        for names, table in ((row["names"], by_name), (row.get("exact", []), by_exact)):
            table.update({name: (*table.get(name, ()), unit) for name in names})
    return Units(by_name, by_exact)


def one_of(words: Iterable[str]) -> str:
    """Give a pattern that takes any of these words, the longest first."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)
