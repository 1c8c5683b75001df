"""How much a word tells of what a sentence is about, whatever text it stands in."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from importlib import resources

from groundwire.worker.scoring.alignment import function_words, stem

FIRST_WORD = 1996
"""Place of `the` in the vocabulary. Marks and single characters are before it; from it on words stand in the order of
their frequency, and what is not among them is rare."""

CHARACTER_RANK = 5_000
"""Rank of single characters. Their place says nothing of how often they stand alone: as digits or initials often, as
the characters of a script without spaces sometimes."""

FUNCTION_WORD = 0.2
"""Share of its weight that a function word keeps; two sentences don't speak of the same thing because they share it."""

REMEMBERED = 10_000
"""Terms whose weight is kept: those that most sentences are made of."""


@lru_cache(REMEMBERED)
def weight_of(term: str) -> float:
    """Give the weight of a term in lower case: 0.013 for `the`, 0.46 for `people`, 0.78 for `mill`, 1 for a rare word.

    It is the logarithm of the word's rank among English words by their frequency, as a share of that of the last one:
    by Zipf's law what a word tells grows so. Unlike the frequency in the context at hand it does not depend on what
    else was retrieved.
    """
    ranks = _ranks()
    weight = math.log(1 + ranks.get(term, len(ranks))) / math.log(1 + len(ranks))
    return weight if has_content(term) else FUNCTION_WORD * weight


@lru_cache(REMEMBERED)
def has_content(term: str) -> bool:
    """Tell whether a term says what a sentence is about, unlike `the`, `of`, or `'s` where texts are tokenised."""
    return stem(term.lstrip("'") or term) not in function_words()


@cache
def _ranks() -> dict[str, int]:
    file = resources.files("groundwire.models").joinpath("data", "bert_uncased_vocab.txt")
    words = file.read_text(encoding="utf-8").split("\n")
    ranks = dict.fromkeys(words[:FIRST_WORD], CHARACTER_RANK)
    return ranks | {word: rank for rank, word in enumerate(words[FIRST_WORD:], 1)}
