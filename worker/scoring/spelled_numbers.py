"""Reads numbers that are written in words: `twenty-five`, `a hundred and two`, `two thirds`, `half a million`."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from groundwire.worker.scoring.quantity_words import load_quantity_words, one_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TEN = 10
DOZEN = 12
TWENTY = 20
HUNDRED = 100
MAX_WORDS = 24
"""No number that anybody writes out has more words."""

ARTICLES = frozenset({"a", "an"})


class SpelledNumber(NamedTuple):
    """A number in words.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
        value: The number.
        step: What its last word counts; 0 where it is exact.
        ordinal: Whether it names a place in an order, such as `twenty-first`.
    """

    start: int
    end: int
    value: float
    step: float
    ordinal: bool = False


class _Word(NamedTuple):
    start: int
    end: int
    text: str


class _Sum:
    """What the words of a number add up to, so far."""

    def __init__(self, part: float = 0.0) -> None:
        self._total = 0.0
        self._part = part  # below the next thousand, million ...
        self._least_scale = float("inf")
        self.step = 1.0

    @property
    def value(self) -> float:
        return self._total + self._part

    def numerator(self, denominator: float) -> float | None:
        """Give what the number is as numerator of a fraction, or None where it can't be one."""
        return self._part if not self._total and 0 < self._part < min(denominator, TWENTY) else None

    def has_room_for(self, value: float) -> bool:
        """Tell whether a number below a hundred can follow, as `five` can after `twenty` or `hundred`."""
        rest = self._part % HUNDRED
        return not rest or (rest >= TWENTY and rest % TEN == 0 and value < TEN)

    def takes(self, word: str) -> bool:
        """Add a word if it can go on with the number."""
        table = load_quantity_words()
        if word == "dozen":
            self._part = (self._part or 1.0) * DOZEN
        elif word in table.cardinals and self.has_room_for(table.cardinals[word]):
            self._part += table.cardinals[word]
            self.step = 1.0
        elif word in table.magnitudes and self._part and table.magnitudes[word] < self._least_scale:
            self._scale(table.magnitudes[word])
        else:
            return False
        return True

    def _scale(self, scale: float) -> None:
        self.step = scale
        if scale == HUNDRED:
            self._part *= scale
        else:
            self._total, self._part, self._least_scale = self._total + self._part * scale, 0.0, scale


def spelled_numbers(text: str) -> Iterator[SpelledNumber]:
    """Give the numbers of a text that are written in words, in order."""
    for match in _run().finditer(text):
        words = [
            _Word(match.start() + word.start(), match.start() + word.end(), word[0].lower())
            for word in re.finditer(r"[^\W\d_]+", match[0])
        ]
        place = 0
        while place < len(words):
            number, taken = _first(words[place : place + MAX_WORDS])
            if number is not None:
                yield number
            place += max(taken, 1)


def _first(words: Sequence[_Word]) -> tuple[SpelledNumber | None, int]:
    """Read the number with which a run of words begins, and say how many of them it takes."""
    if words[0].text == "half" and len(words) > 1 and words[1].text in ARTICLES:
        return _half_of(words)
    table = load_quantity_words()
    article = words[0].text in ARTICLES
    so_far = _Sum(1.0 if article else 0.0)
    taken = 0
    for place, word in enumerate(words):
        if (article and not place) or _joins(words, place):
            continue
        numerator = so_far.numerator(table.fractions[word.text]) if word.text in table.fractions else None
        if numerator is not None:
            return SpelledNumber(words[0].start, word.end, numerator / table.fractions[word.text], 0.0), place + 1
        if word.text in table.ordinals and not article and so_far.has_room_for(table.ordinals[word.text]):
            value = so_far.value + table.ordinals[word.text]
            return SpelledNumber(words[0].start, word.end, value, 0.0, ordinal=True), place + 1
        if not so_far.takes(word.text):
            break
        taken = place + 1
        if article and place == 1 and word.text in table.cardinals and word.text != "dozen":
            return None, 1  # "a two" is no number of its own
    if not taken:
        return None, 1
    step = min(so_far.step, max(so_far.value / TEN, 1.0))  # two digits are meant at least
    return SpelledNumber(words[0].start, words[taken - 1].end, so_far.value, step), taken


def _joins(words: Sequence[_Word], place: int) -> bool:
    """Tell whether a word is the `and` of `a hundred and two`, and not one between two numbers."""
    if words[place].text != "and" or not 0 < place < len(words) - 1:
        return False
    table = load_quantity_words()
    return words[place - 1].text in table.magnitudes and words[place + 1].text in table.cardinals


def _half_of(words: Sequence[_Word]) -> tuple[SpelledNumber | None, int]:
    """Read `half a million` and `half a dozen`."""
    whole = {**load_quantity_words().magnitudes, "dozen": float(DOZEN)}.get(words[2].text) if words[2:] else None
    if whole is None:
        return None, 2
    return SpelledNumber(words[0].start, words[2].end, whole / 2, whole / TEN), 3


@cache
def _run() -> re.Pattern[str]:
    table = load_quantity_words()
    names = one_of([*table.cardinals, *table.ordinals, *table.magnitudes, *table.fractions])
    return re.compile(
        rf"\b(?:half\s+an?\s+|an?[\s-]+)?(?:{names})(?:(?:[\s-]|\s-\s|\sand\s)(?:{names}))*\b", re.IGNORECASE
    )
