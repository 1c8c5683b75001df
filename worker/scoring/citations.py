"""Which chunks an answer cites, as a whole and in each of its sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.models.answer_units import UnitKind
from groundwire.models.citation_marks import CITATION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.schemas import Job
    from groundwire.worker.scoring.case import Sentence

LONGEST_RANGE = 20
"""Chunks of a range, as in [1-3], from which on it is none: nobody cites that many, but `[1990-2015]` are years."""

_MARK = re.compile(CITATION)
_NUMBER_OR_RANGE = re.compile(r"(\d+)(?:\s?[\u2013-]\s?\^?(\d+))?")
_LINE_BREAK = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class Citations:
    """What an answer cites. Chunks are given by their position in the job, from 0, each once, in order of citation.

    Attributes:
        chunks: What the answer cites as a whole: the job's `cited_chunks` if it has them, else all that is marked.
        by_sentence: What each sentence cites by its marks, as far as it is among `chunks`.
        unresolved: Numbers and ids that are no chunk of the job, each once, in order.
        listed: Whether the job itself lists what the answer cites, be it in vain.
    """

    chunks: tuple[int, ...]
    by_sentence: tuple[tuple[int, ...], ...]
    unresolved: tuple[str, ...]
    listed: bool

    @property
    def exist(self) -> bool:
        """Whether the answer cites anything: a chunk, or in a list of the job's something that is none."""
        return self.listed or bool(self.chunks)


def read_citations(job: Job, sentences: Sequence[Sentence]) -> Citations:
    """Read what an answer cites.

    A number or id names the chunks that have it as their id, else the n-th chunk, counted from 1. The single-string
    form of the context is chunk 1. What names no chunk, such as the year in `Okafor et al. [2019]`, is no citation.

    Args:
        job: The job.
        sentences: The sentences of its answer.
    """
    chunks = _Chunks(job)
    marked = [tuple(dict.fromkeys(found)) for found in _marked(job.response_text, sentences, chunks)]
    if job.cited_chunks is None:
        overall = dict.fromkeys(chunk for found in marked for chunk in found)
    else:
        chunks.unresolved.clear()
        overall = dict.fromkeys(chunk for name in job.cited_chunks for chunk in chunks.named(name))
    return Citations(
        chunks=tuple(overall),
        by_sentence=tuple(tuple(chunk for chunk in found if chunk in overall) for found in marked),
        unresolved=tuple(chunks.unresolved),
        listed=bool(job.cited_chunks),
    )


class _Chunks:
    """Finds chunks by what a citation calls them, and notes what is none."""

    def __init__(self, job: Job) -> None:
        ids = [chunk.id for chunk in job.contexts or ()]
        self._count = 1 if job.rag_context is not None else len(ids)
        self._by_id: dict[str, list[int]] = {}
        for place, name in enumerate(ids):
            if name is not None:
                self._by_id.setdefault(name, []).append(place)
        self.unresolved: dict[str, None] = {}

    def named(self, name: str) -> Sequence[int]:
        """Give the chunks of a number or id; none is noted as unresolved."""
        found = self._find(name)
        if not found:
            self.unresolved[name] = None
        return found

    def marked(self, mark: str) -> Iterator[int]:
        """Give the chunks of a citation mark."""
        inner = _inner(mark)
        # of 【4:0†source】 neither number counts chunks
        if inner in self._by_id or (mark[0] == "\u3010" and ":" in inner):
            yield from self.named(inner)
            return
        for match in _NUMBER_OR_RANGE.finditer(inner):
            first, last = match[1], match[2]
            if last is None:
                yield from self.named(first)
            elif not 0 < int(last) - int(first) < LONGEST_RANGE:
                self.unresolved[match[0]] = None
            else:
                yield from self._in_range(match[0], [str(number) for number in range(int(first), int(last) + 1)])

    def _in_range(self, written: str, names: Sequence[str]) -> Iterator[int]:
        if any(self._find(name) for name in names):
            for name in names:
                yield from self.named(name)
        else:
            self.unresolved[written] = None

    def _find(self, name: str) -> Sequence[int]:
        if name in self._by_id:
            return self._by_id[name]
        number = int(name) if name.isascii() and name.isdecimal() else 0
        return [number - 1] if 0 < number <= self._count else []


def _inner(mark: str) -> str:
    """Give what a mark names, without brackets, the link behind it or the file behind `†`."""
    return re.split("[\\]\u2020\u3011]", mark[1:], maxsplit=1)[0].strip()


def _marked(answer: str, sentences: Sequence[Sentence], chunks: _Chunks) -> list[list[int]]:
    """Give the chunks that each sentence's marks name.

    A mark behind a sentence's end belongs to that sentence: where one starts with a mark on the line of the one before,
    or is nothing but marks, these are the earlier one's.
    """
    found: list[list[int]] = [[] for _ in sentences]
    for place, sentence in enumerate(sentences):
        if sentence.kind is UnitKind.CODE:  # an index such as `rows[1]` cites nothing
            continue
        leading = True
        reached = sentence.start
        for mark in _MARK.finditer(answer, sentence.start, sentence.end):
            leading = leading and not answer[reached : mark.start()].strip()
            reached = mark.end()
            belongs_before = leading and place > 0 and _follows(answer, sentences[place - 1], sentence)
            found[place - belongs_before].extend(chunks.marked(mark[0]))
    return found


def _follows(answer: str, before: Sentence, sentence: Sentence) -> bool:
    return not sentence.claim or not _LINE_BREAK.search(answer, before.end, sentence.start)
