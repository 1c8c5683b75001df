"""Lays a claim beside a sentence of its evidence, word by word, to see which words stand in each other's place."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import NamedTuple

from groundwire.worker.scoring.word_lists import load_table

MAX_WORDS = 400
"""Longer sentences are cut: comparing takes time by the product of both lengths, and no sentence has so many words."""

MAX_REPLACED = 2
"""So many words may stand in each other's place: more are another way to say it."""

REMEMBERED = 10_000
"""Words whose stem is kept: those that most sentences are made of."""

ABBREVIATION = 8
"""So many characters before a space hold an abbreviation and its full stop."""

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019][^\W\d_]+)*|[%$€£¥]")
_END = re.compile(r"(?<=[.!?;])[\"'\u201d\u2019)]*\s+(?=[\"'\u201c\u2018(\[]*[A-Z0-9])|\n+")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Sen|Rep|Gov|Gen|Col|Lt|Sgt|Jr|Sr|vs|No|Inc|Ltd|Co|approx|c)|\b[A-Z])\.$"
)
_ENDINGS = re.compile(r"(?<=\w{3})(?:'s|ies|ied|ing|ed|es|s|e|y)$")


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        text: The word as it stands there.
        key: Its stem, in lower case, by which words are compared.
        start: Where it begins in the text.
        end: Where it ends.
    """

    text: str
    key: str
    start: int
    end: int

    @property
    def has_content(self) -> bool:
        """Whether it says what the sentence is about, unlike `the` or `of`."""
        return self.key[0].isalnum() and self.key not in function_words()


class Substitution(NamedTuple):
    """Words of a claim and the words of the evidence that stand in their place.

    Attributes:
        claimed: Words of the claim.
        found: Words of the evidence.
        before: The word before both, or None at the beginning.
        after: The word behind both, or None at the end.
        at_border: Whether both texts begin or both end with these words.
    """

    claimed: tuple[Word, ...]
    found: tuple[Word, ...]
    before: Word | None
    after: Word | None
    at_border: bool

    @property
    def is_close(self) -> bool:
        """Whether few words are replaced, and what is beside them shows that they mean the same thing's place."""
        flanks = [word for word in (self.before, self.after) if word]
        few = max(len(self.claimed), len(self.found)) <= MAX_REPLACED
        return few and (len(flanks) + self.at_border > 1 or any(word.has_content for word in flanks))


class Alignment(NamedTuple):
    """A claim beside a sentence.

    Attributes:
        shared: Which share of the claim's content words stand in the sentence, in the claim's order; 0 to 1.
        substitutions: What stands in each other's place between the words that are shared.
        claim: All words of the claim.
        sentence: All words of the sentence.
        pairs: The places, in claim and sentence, of the words that are shared.
    """

    shared: float
    substitutions: tuple[Substitution, ...]
    claim: tuple[Word, ...]
    sentence: tuple[Word, ...]
    pairs: tuple[tuple[int, int], ...]


def words_of(text: str) -> tuple[Word, ...]:
    """Give the words of a text, in order, at most MAX_WORDS."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        found.append(Word(match[0], stem(match[0]), match.start(), match.end()))
        if len(found) == MAX_WORDS:
            break
    return tuple(found)


@lru_cache(REMEMBERED)
def stem(word: str) -> str:
    """Give a word without its commonest endings, in lower case; a number without its separators."""
    if word[0].isdigit():
        return word.replace(",", "")
    return _ENDINGS.sub("", word.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Cut a text at its full stops and lines, roughly: where each piece begins and ends."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if _ABBREVIATED.search(text, max(start, match.start() - ABBREVIATION), match.start()):
            continue
        spans.append((start, match.start()))
        start = match.end()
    return [span for span in [*spans, (start, len(text))] if text[slice(*span)].strip()]


def align(claim: str, evidence: str) -> list[Alignment]:
    """Lay a claim beside each sentence of its evidence. Places of words are those in the two texts as given."""
    claim_words = words_of(claim)
    return [
        _aligned(claim_words, tuple(_moved(word, start) for word in words_of(evidence[start:end])))
        for start, end in sentence_spans(evidence)
    ]


def _moved(word: Word, by: int) -> Word:
    return word._replace(start=word.start + by, end=word.end + by)


def _aligned(claim: tuple[Word, ...], sentence: tuple[Word, ...]) -> Alignment:
    matcher = SequenceMatcher(None, [word.key for word in claim], [word.key for word in sentence], autojunk=False)
    substitutions: list[Substitution] = []
    pairs: list[tuple[int, int]] = []
    for tag, start, end, sentence_start, sentence_end in matcher.get_opcodes():
        if tag == "equal":
            pairs += zip(range(start, end), range(sentence_start, sentence_end), strict=True)
        elif tag == "replace":
            substitutions.append(
                Substitution(
                    claim[start:end],
                    sentence[sentence_start:sentence_end],
                    claim[start - 1] if start and sentence_start else None,
                    claim[end] if end < len(claim) and sentence_end < len(sentence) else None,
                    start + sentence_start == 0 or (end == len(claim) and sentence_end == len(sentence)),
                )
            )
    content = sum(word.has_content for word in claim)
    shared = sum(claim[place].has_content for place, _ in pairs)
    return Alignment(shared / content if content else 0.0, tuple(substitutions), claim, sentence, tuple(pairs))


@cache
def function_words() -> frozenset[str]:
    """Give the stems of the words that say little by themselves."""
    return frozenset(stem(word) for word in load_table("function_words")["words"])
