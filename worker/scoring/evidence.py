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
from groundwire.worker.scoring.word_weights import has_content, weight_of
from groundwire.worker.scoring.wording import in_words_of
from groundwire.worker.scoring.words import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from groundwire.worker.scoring.ports import Splitter

WHOLE_FIELDS = frozenset({EvidenceField.TITLE, EvidenceField.HEADING})
"""Fields that are one passage: a full stop in a title ends no sentence."""

OWN_SHARE = 0.1
"""Share of a claim's weight that a sentence of the best one's document has to add to join a premise. What adds nothing
of the claim fills the premise with what else the document tells, and the model reads more into it."""

OTHER_SHARE = 0.2
"""The same for a sentence of another document. Two documents that share nothing but words with a claim, put one behind
the other, seem to entail it."""

OTHER_WORDS = 2
"""So many words of the claim it has to add besides: of a short claim a single one is a fifth."""

NEAR = 0.5
"""Share of the best sentence's overlap from which on a sentence is about the claim as well."""

MIN_OVERLAP = 1e-9
"""A sentence without any word of a claim is not about it, whatever the best one has."""


class ContextSentence(NamedTuple):
    """A passage and what the models read of it."""

    passage: Passage
    text: str


class _Ranked(NamedTuple):
    """How a claim ranks the sentences of an index.

    Attributes:
        overlaps: What each sentence shares with it.
        places: The sentences, the best first.
        chosen: Those that make its premises.
    """

    overlaps: NDArray[np.float64]
    places: list[int]
    chosen: list[int]


class EvidenceIndex:
    """The sentences of a context, ranked for any claim by how much they share with it.

    A word that the claim and a sentence share counts its weight (`groundwire.worker.scoring.word_weights`), which
    depends on the word alone; the sum is divided by the root of 1 + the sentence's number of words, so that long
    sentences don't win by length. So what is added to a context changes the rank of nothing that was there. Sentences
    that read the same count once, whichever chunks they stand in, and ties go to the one nearer to the beginning of its
    field, so that neither repeated chunks nor their order change a premise. A sentence with just the words of the
    claim, in its order, goes before all others.

    Args:
        context: The context's fields, in order.
        splitter: Cuts them into sentences.
        sizes: How many of the best sentences each premise joins.
    """

    def __init__(self, context: Sequence[ContextField], splitter: Splitter, sizes: Sequence[int]) -> None:
        self._sizes = sizes
        self._field_order = {id(field): place for place, field in enumerate(context)}
        self._entries, lengths = _unique_sentences(context, splitter)
        self._chunks = [entry.passage.source.context_index for entry in self._entries]
        self._single = [lengths[chunk] == 1 for chunk in self._chunks]
        self._same_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._terms: list[frozenset[str]] = []
        self._postings: dict[str, list[int]] = defaultdict(list)
        words = np.ones(len(self._entries))
        for place, entry in enumerate(self._entries):
            found = terms(entry.text)
            words[place] += len(found)
            self._same_words[tuple(found)].append(place)
            self._terms.append(frozenset(found))
            for term in self._terms[place]:
                self._postings[term].append(place)
        self._norms = np.sqrt(words)
        self._known: dict[str, _Ranked] = {}
        self._premises: dict[str, list[Premise]] = {}

    @property
    def picks(self) -> bool:
        """Whether there is more than one sentence to pick from."""
        return len(self._entries) > 1

    def premises(self, claim: str) -> list[Premise]:
        """Give the premises for a claim, the shortest first: its best sentences, joined in reading order.

        Behind the best one come those that cover more of the claim, so that there may be fewer premises than sizes.

        Args:
            claim: The answer's sentence, cleaned.
        """
        if claim not in self._premises:
            chosen = self._ranked(claim).chosen
            sizes = dict.fromkeys(min(size, len(chosen)) for size in self._sizes)
            self._premises[claim] = [self._joined(claim, chosen[:size]) for size in sizes]
        return self._premises[claim]

    def best(self, claim: str, count: int) -> list[ContextSentence]:
        """Give the sentences that share most with a claim, at most so many, the best first."""
        return [self._entries[place] for place in self._ranked(claim).places[:count]]

    def chunks_about(self, claim: str) -> frozenset[int]:
        """Give the chunks, by their position in the job, in which a number or name of a claim does not stand by chance.

        They are those of its premises, those with a sentence that shares at least half as much with it as the best one
        does, and chunks of a single sentence.
        """
        overlaps, _, chosen = self._ranked(claim)
        near = overlaps >= max(NEAR * overlaps.max(initial=0.0), MIN_OVERLAP)
        places = {*chosen, *np.flatnonzero(near).tolist()}
        single = {chunk for chunk, is_single in zip(self._chunks, self._single, strict=True) if is_single}
        return frozenset(self._chunks[place] for place in places) | single

    def _ranked(self, claim: str) -> _Ranked:
        if claim not in self._known:
            overlaps = self._overlaps(claim)
            first = overlaps.copy()
            wanted = tuple(terms(claim))
            if wanted:  # several short sentences of its rarest words would share more with a claim than its own copy
                first[self._same_words.get(wanted, [])] = math.inf
            places: list[int] = np.argsort(-first, kind="stable").tolist()
            self._known[claim] = _Ranked(overlaps, places, self._chosen(claim, overlaps, places))
        return self._known[claim]

    def _chosen(self, claim: str, overlaps: NDArray[np.float64], ranked: list[int]) -> list[int]:
        """Choose the best sentence, and behind it, in their rank, those that cover more of the claim."""
        weights = {term: weight_of(term) for term in dict.fromkeys(terms(claim)) if has_content(term)}
        total = sum(weights.values())
        if not ranked:
            return []
        first = self._first(weights, ranked)
        chosen = [first]
        missing = {term: weight for term, weight in weights.items() if term not in self._terms[first]}
        for place in ranked:
            if len(chosen) >= max(self._sizes) or overlaps[place] == 0 or sum(missing.values()) < OWN_SHARE * total:
                break
            added = [term for term in missing if term in self._terms[place]]
            words, share = (1, OWN_SHARE) if self._are_together(place, first) else (OTHER_WORDS, OTHER_SHARE)
            if len(added) >= words and sum(missing[term] for term in added) >= share * total:
                chosen.append(place)
                missing = {term: weight for term, weight in missing.items() if term not in added}
        return chosen

    def _first(self, weights: Mapping[str, float], ranked: list[int]) -> int:
        """Choose the sentence that is a premise by itself: a title if it has all of a claim, or for want of another.

        The two words of `Eiffel Tower` rank first beside a claim that it is in Paris, and the model believes it.
        """
        if self._terms[ranked[0]] >= weights.keys():
            return ranked[0]
        sharing = (place for place in ranked if not self._terms[place].isdisjoint(weights))
        return next((p for p in sharing if self._entries[p].passage.source.field not in WHOLE_FIELDS), ranked[0])

    def _are_together(self, one: int, other: int) -> bool:
        """Tell whether two sentences are of one document: a chunk, or a text whose sentences are chunks."""
        return self._chunks[one] == self._chunks[other] or (self._single[one] and self._single[other])

    def _overlaps(self, claim: str) -> NDArray[np.float64]:
        sums = np.zeros(len(self._entries))
        for term in dict.fromkeys(terms(claim)):  # in a fixed order: the order of additions decides on the last digit
            places = self._postings.get(term)
            if places is not None:
                sums[places] += weight_of(term)
        return sums / self._norms

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


def _unique_sentences(
    context: Sequence[ContextField], splitter: Splitter
) -> tuple[list[ContextSentence], dict[int, int]]:
    """Cut a context into sentences that read differently, those nearer to the beginning of their fields first.

    Where a sentence stands in several chunks, as in those that overlap, the one with the sentence nearest to its
    beginning holds it, and then the one whose texts come first in the alphabet: the first in the job would make the
    order of premises depend on that of the chunks.

    Returns:
        The sentences, and how many passages each chunk was cut into.
    """
    chunks: dict[int, tuple[str, ...]] = defaultdict(tuple)
    for field in context:
        chunks[field.context_index] += (field.text,)
    found: dict[str, ContextSentence] = {}
    lengths: dict[int, int] = defaultdict(int)

    def place(entry: ContextSentence) -> tuple[int, tuple[str, ...]]:
        return entry.passage.start, chunks[entry.passage.source.context_index]

    for field in context:
        for passage in _passages(field, splitter):
            lengths[field.context_index] += 1
            entry = ContextSentence(passage, as_read(passage))
            known = found.setdefault(entry.text, entry)
            if known is not entry and place(entry) < place(known):
                found[entry.text] = entry
    return sorted(found.values(), key=lambda entry: (entry.passage.start, entry.text)), lengths


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
