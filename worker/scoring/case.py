"""One job under one profile, with what several rules and metrics need of it worked out once and only if needed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from groundwire.schemas import UnscoredReason
from groundwire.worker.scoring.abstention import is_abstention, is_whole_abstention
from groundwire.worker.scoring.citations import Citations, read_citations
from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.context import ContextField, read_context
from groundwire.worker.scoring.evidence import EvidenceIndex
from groundwire.worker.scoring.premises import PremiseSource, WholeContextPieces
from groundwire.worker.scoring.profiles import WholeContext
from groundwire.worker.scoring.relating import RelevanceAsker
from groundwire.worker.scoring.words import count_words

if TYPE_CHECKING:
    from groundwire.models.sentences import Span
    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports, Splitter
    from groundwire.worker.scoring.profiles import Profile


RANKS_ONLY = (1,)
"""Sizes of premises for an index that is asked for none."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer.

    Attributes:
        start: Its first code point in the answer.
        end: One past its last.
        raw: The sentence as it stands there.
        claim: What the model reads of it.
        unscored_reason: Why it is not held against the context; None if it is.
    """

    start: int
    end: int
    raw: str
    claim: str
    unscored_reason: UnscoredReason | None


class Case:
    """A job under a profile.

    Attributes:
        job: The job.
        profile: The scorer configuration.
        relevance: Answers what is asked of the relevance model.
        split_seconds: Time spent so far on cutting answer and context into sentences.
    """

    def __init__(self, job: Job, profile: Profile, ports: Ports) -> None:
        self.job = job
        self.profile = profile
        self.relevance = RelevanceAsker(ports.relevance)
        self.split_seconds = 0.0
        self._ports = ports
        self._context_splitter = _SplitsOnce(ports.context_splitter)
        self._pieces: dict[tuple[ContextField, ...], PremiseSource] = {}
        self._indices: dict[tuple[ContextField, ...], EvidenceIndex] = {}

    @cached_property
    def context(self) -> tuple[ContextField, ...]:
        """The context's texts, as far as they are not blank."""
        return read_context(self.job)

    @cached_property
    def completion_tokens(self) -> int:
        """Length of the answer in tokens: the job's own figure, else counted."""
        stated = self.job.completion_tokens
        return self._ports.tokens.count_tokens(self.job.response_text) if stated is None else stated

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Every sentence of the answer."""
        answer = self.job.response_text
        started = time.perf_counter()
        spans = self._ports.answer_splitter.split(answer)
        self.split_seconds += time.perf_counter() - started
        return tuple(self._sentence(span.start, span.end) for span in spans)

    @property
    def is_split(self) -> bool:
        """Whether anything has looked at the answer's sentences yet."""
        return "sentences" in vars(self)

    @cached_property
    def is_abstention(self) -> bool:
        """Whether the answer claims nothing but that it can't answer."""
        return is_whole_abstention(sentence.raw for sentence in self.sentences)

    @cached_property
    def citations(self) -> Citations:
        """What the answer cites."""
        return read_citations(self.job, self.sentences)

    @property
    def premise_source(self) -> PremiseSource:
        """Where the premises come from under this profile."""
        return self.premise_source_of(self.context)

    def premise_source_of(self, context: tuple[ContextField, ...]) -> PremiseSource:
        """The same for a part of the context alone."""
        config = self.profile.premises
        if not isinstance(config, WholeContext):
            return self.evidence_of(context)
        if context not in self._pieces:
            self._pieces[context] = WholeContextPieces(context, config.max_whole_words, config.piece_words)
        return self._pieces[context]

    def evidence_of(self, context: tuple[ContextField, ...]) -> EvidenceIndex:
        """The sentences of a part of the context, ranked for any claim."""
        if context not in self._indices:
            config = self.profile.premises
            sizes = RANKS_ONLY if isinstance(config, WholeContext) else config.sizes
            started = time.perf_counter()
            self._indices[context] = EvidenceIndex(context, self._context_splitter, sizes)
            self.split_seconds += time.perf_counter() - started
        return self._indices[context]

    def _sentence(self, start: int, end: int) -> Sentence:
        raw = self.job.response_text[start:end]
        claim = clean(raw)
        # nothing is left of a sentence that is a citation mark alone, whatever the setting
        too_few = count_words(claim) < max(1, self.profile.min_sentence_words)
        reason = UnscoredReason.TOO_FEW_WORDS if too_few else None
        if reason is None and is_abstention(raw):
            reason = UnscoredReason.ABSTENTION
        return Sentence(start, end, raw, claim, reason)


class _SplitsOnce:
    """Remembers how it cut a text: a chunk is cut as a part of the whole context and by itself."""

    def __init__(self, splitter: Splitter) -> None:
        self._splitter = splitter
        self._known: dict[str, list[Span]] = {}

    def split(self, text: str) -> list[Span]:
        if text not in self._known:
            self._known[text] = self._splitter.split(text)
        return self._known[text]
