"""Retrieves the sentences of a context that are about a sentence of an answer.

NLI models are trained on premises of a sentence or two. A whole context as premise drowns what matters, and the
maximum over every sentence of it collects false alarms; a few short premises that are about the claim do best.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groundwire.schemas import EvidenceField
from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.context import ContextField, Passage
from groundwire.worker.scoring.premises import Premise
from groundwire.worker.scoring.wording import in_words_of
from groundwire.worker.scoring.words import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groundwire.worker.scoring.ports import Splitter

WHOLE_FIELDS = frozenset({EvidenceField.TITLE, EvidenceField.HEADING})
"""Fields that are one passage: a full stop in a title ends no sentence."""


class ContextSentence(NamedTuple):
    """A passage and what the models read of it."""

    passage: Passage
    text: str


class EvidenceIndex:
    """The sentences of a context, ranked for any claim by how much they share with it.

    A word that the claim and a sentence share counts log(1 + N / n), N being the number of sentences and n that of
    the sentences with the word; the sum is divided by the root of 1 + the sentence's number of words, so that long
    sentences don't win by length. Sentences that read the same count once, whichever chunks they stand in, and ties go
    to the one nearer to the beginning of its field, so that neither repeated chunks nor their order change a premise.
    A sentence with just the words of the claim, in its order, goes before all others.

    Args:
        context: The context's fields, in order.
        splitter: Cuts them into sentences.
        sizes: How many of the best sentences each premise joins.
    """

    def __init__(self, context: Sequence[ContextField], splitter: Splitter, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._field_order = {id(field): place for place, field in enumerate(context)}
        self._entries = _unique_sentences(context, splitter)
        self._same_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
        postings: dict[str, list[int]] = defaultdict(list)
        lengths = np.ones(len(self._entries))
        for place, entry in enumerate(self._entries):
            found = terms(entry.text)
            lengths[place] += len(found)
            self._same_words[tuple(found)].append(place)
            for term in set(found):
                postings[term].append(place)
        self._norms = np.sqrt(lengths)
        self._postings = {term: np.array(places) for term, places in postings.items()}

    def premises(self, claim: str) -> list[Premise]:
        """Give the premises for a claim, the shortest first: its best sentences, joined in reading order.

        Args:
            claim: The answer's sentence, cleaned.
        """
        ranked = self._ranked(claim, max(self._sizes))
        sizes = dict.fromkeys(min(size, len(ranked)) for size in self._sizes)
        return [self._joined(claim, ranked[:size]) for size in sizes]

    def best(self, claim: str, count: int) -> list[ContextSentence]:
        """Give the sentences that share most with a claim, at most so many, the best first."""
        return [self._entries[place] for place in self._ranked(claim, count)]

    def _ranked(self, claim: str, count: int) -> list[int]:
        places: list[int] = np.argsort(-self._overlaps(claim), kind="stable")[:count].tolist()
        return places

    def _overlaps(self, claim: str) -> NDArray[np.float64]:
        sums = np.zeros(len(self._entries))
        wanted = terms(claim)
        for term in dict.fromkeys(wanted):  # in a fixed order: the order of additions decides on the last digit
            places = self._postings.get(term)
            if places is not None:
                sums[places] += math.log(1 + len(self._entries) / len(places))
        overlaps = sums / self._norms
        if wanted:  # several short sentences of its rarest words would share more with a claim than its own copy
            overlaps[self._same_words.get(tuple(wanted), [])] = math.inf
        return overlaps

    def _joined(self, claim: str, ranked: list[int]) -> Premise:
        """Join sentences as they are read beside a claim, in the order of their chunk, the chunk of the best one first.

        Chunks have no order of their own that a premise could follow: retrievers rank them, and rank them differently.
        """
        chunks: dict[int, int] = {}
        for entry in (self._entries[place] for place in ranked):
            chunks.setdefault(entry.passage.source.context_index, len(chunks))

        def reading_order(entry: ContextSentence) -> tuple[int, int, int]:
            source = entry.passage.source
            return chunks[source.context_index], self._field_order[id(source)], entry.passage.start

        chosen = sorted((self._entries[place] for place in ranked), key=reading_order)
        read = (in_words_of(claim, entry.text, entry.passage.source.text) for entry in chosen)
        return Premise(" ".join(read), tuple(entry.passage for entry in chosen))


def as_read(passage: Passage) -> str:
    """Give what the models read of a passage."""
    return clean(passage.text) or passage.text


def _unique_sentences(context: Sequence[ContextField], splitter: Splitter) -> list[ContextSentence]:
    """Cut a context into sentences that read differently, those nearer to the beginning of their fields first.

    Where a sentence stands in several chunks, as in those that overlap, the one with the sentence nearest to its
    beginning holds it, and then the one whose texts come first in the alphabet: the first in the job would make the
    order of premises depend on that of the chunks.
    """
    chunks: dict[int, tuple[str, ...]] = defaultdict(tuple)
    for field in context:
        chunks[field.context_index] += (field.text,)
    found: dict[str, ContextSentence] = {}

    def place(entry: ContextSentence) -> tuple[int, tuple[str, ...]]:
        return entry.passage.start, chunks[entry.passage.source.context_index]

    for field in context:
        for passage in _passages(field, splitter):
            entry = ContextSentence(passage, as_read(passage))
            known = found.setdefault(entry.text, entry)
            if known is not entry and place(entry) < place(known):
                found[entry.text] = entry
    return sorted(found.values(), key=lambda entry: (entry.passage.start, entry.text))


def _passages(field: ContextField, splitter: Splitter) -> list[Passage]:
    """Cut a field into sentences; a line that HTML gave it is a border that no sentence crosses."""
    found: list[Passage] = []
    if field.field not in WHOLE_FIELDS:
        start = 0
        lines = field.text.splitlines(keepends=True) if field.field is EvidenceField.HTML_TEXT else [field.text]
        for line in lines:
            found += [Passage(field, start + span.start, start + span.end) for span in splitter.split(line)]
            start += len(line)
    return found or [_whole(field)]


def _whole(field: ContextField) -> Passage:
    """Take a field as one passage: a title, or a text in which the splitter finds no sentence."""
    text = field.text.strip()
    start = field.text.index(text)
    return Passage(field, start, start + len(text))
