"""Numbers and names of a claim that its context doesn't have: the words that answers most often get wrong.

A model of inference reads over them, and a sentence that names what no passage names is rarely supported. Counting is
deliberately plain: what is meant by another word counts as missing, and the weights in
`groundwire.worker.scoring.support`, which were fitted on such counts, allow for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import regex  # type: ignore[import-untyped]  # the package ships no type information

from groundwire.worker.scoring.alignment import function_words, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL_NUMBERS = dict(
    zip(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        map(str, range(13)),
        strict=True,
    )
)
"""Numbers that style guides ask to be written as words."""

_NUMBER = regex.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_WORD = regex.compile(r"[^\W_](?:[^\W_]|['\u2019-](?=[^\W_]))*")
_NAME = regex.compile(r"(?<![.!?:]\s)(?<!^)\b\p{Lu}(?:\p{L}|['\u2019-](?=\p{L}))+")


class Missing(NamedTuple):
    """How many numbers and how many names of a claim are missing."""

    numbers: int
    names: int


class Vocabulary(NamedTuple):
    """What can be looked for in a text: its numbers, and the stems of its words."""

    numbers: frozenset[str]
    stems: frozenset[str]


def vocabulary_of(text: str) -> Vocabulary:
    """Give the numbers and the stems of a text."""
    words = _WORD.findall(text)
    return Vocabulary(_numbers(text, words), frozenset(map(stem, words)))


def missing_of(claim: str, texts: Sequence[Vocabulary]) -> Missing:
    """Count what a claim has and none of several texts does.

    Args:
        claim: A sentence of the answer, cleaned.
        texts: Vocabularies of the texts.
    """
    numbers = _numbers(claim, _WORD.findall(claim))
    # a capital makes no name of `The` behind a quotation mark; the first word of a sentence has one in any case
    names = [name for name in map(stem, _NAME.findall(claim)) if name not in function_words()]
    return Missing(
        sum(all(number not in text.numbers for text in texts) for number in numbers),
        sum(all(name not in text.stems for text in texts) for name in names),
    )


def _numbers(text: str, words: list[str]) -> frozenset[str]:
    digits = {number.replace(",", "") for number in _NUMBER.findall(text)}
    return frozenset(digits | {SMALL_NUMBERS[word.lower()] for word in words if word.lower() in SMALL_NUMBERS})
