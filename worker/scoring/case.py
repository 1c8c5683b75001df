"""One job under one profile, with what several rules and metrics need of it worked out once and only if needed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from groundwire.models.answer_units import Unit, UnitKind, answer_units
from groundwire.schemas import ProfileName, UnscoredReason
from groundwire.worker.scoring.abstention import is_whole_abstention
from groundwire.worker.scoring.citations import Citations, read_citations
from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.context import ContextField, read_context
from groundwire.worker.scoring.evidence import EvidenceIndex
from groundwire.worker.scoring.non_claims import is_abstention, reason_of
from groundwire.worker.scoring.premises import PremiseSource, WholeContextPieces
from groundwire.worker.scoring.profiles import WholeContext
from groundwire.worker.scoring.relating import RelevanceAsker
from groundwire.worker.scoring.words import count_words, has_word

if TYPE_CHECKING:
    from groundwire.models.sentences import Span
    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports, Splitter
    from groundwire.worker.scoring.profiles import Profile


RANKS_ONLY = (1,)
"""Sizes of premises for an index that is asked for none."""

_NO_CLAIMS = {
    UnitKind.HEADING: UnscoredReason.HEADING,
    UnitKind.CODE: UnscoredReason.CODE,
    UnitKind.TABLE_HEADER: UnscoredReason.TABLE_HEADER,
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer, or another unit of it.

    Attributes:
        start: Its first code point in the answer.
        end: One past its last.
        raw: The sentence as it stands there.
        claim: What the model reads of it: of a row of a table the cells with their headers.
        unscored_reason: Why faithfulness does not hold it against the context; None if it does.
        kind: What it is.
        non_claim: Why it claims nothing of the subject, whatever its length; None if it may claim something.
    """

    start: int
    end: int
    raw: str
    claim: str
    unscored_reason: UnscoredReason | None
    kind: UnitKind = UnitKind.SENTENCE
    non_claim: UnscoredReason | None = None


class Case:
    """A job under a profile.

    Attributes:
        job: The job.
        profile: The scorer configuration.
        relevance: Answers what is asked of the relevance model.
    """

    def __init__(self, job: Job, profile: Profile, ports: Ports) -> None:
        self.job = job
        self.profile = profile
        self.relevance = RelevanceAsker(ports.relevance)
        self._split_seconds = 0.0
        self._ports = ports
        self._context_splitter = _SplitsOnce(ports.context_splitter)
        self._pieces: dict[tuple[ContextField, ...], PremiseSource] = {}
        self._indices: dict[tuple[ContextField, ...], EvidenceIndex] = {}

    @property
    def split_seconds(self) -> float:
        """Time spent so far on cutting answer, context and reference answer into sentences."""
        return self._split_seconds + (self.of_reference.split_seconds if "of_reference" in vars(self) else 0.0)

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
        """Every sentence of the answer; under profile `evidence` also its headings, code and rows of tables."""
        started = time.perf_counter()
        units = self._units()
        self._split_seconds += time.perf_counter() - started
        return tuple(self._sentence(unit) for unit in units)

    @property
    def is_split(self) -> bool:
        """Whether anything has looked at the answer's sentences yet."""
        return "sentences" in vars(self)

    @cached_property
    def is_abstention(self) -> bool:
        """Whether the answer claims nothing but that it can't answer."""
        return is_whole_abstention(sentence.raw for sentence in self.sentences if sentence.kind not in _NO_CLAIMS)

    @cached_property
    def citations(self) -> Citations:
        """What the answer cites."""
        return read_citations(self.job, self.sentences)

    @property
    def premise_source(self) -> PremiseSource:
        """Where the premises come from under this profile."""
        return self.premise_source_of(self.context)

    @cached_property
    def of_reference(self) -> Case:
        """The reference answer in the place of the answer, and the answer in that of the context.

        It is cut by the splitter of contexts: the parser of the other one would cost as much as judging a sentence.
        """
        reference = self.job.reference_answer or ""
        update = {"response_text": reference, "rag_context": self.job.response_text}
        nothing = dict.fromkeys(("contexts", "cited_chunks", "completion_tokens"))
        ports = replace(self._ports, answer_splitter=self._ports.context_splitter)
        return Case(self.job.model_copy(update=update | nothing), self.profile, ports)

    def premise_source_of(self, context: tuple[ContextField, ...]) -> PremiseSource:
        """The same for a part of the context alone."""
        config = self.profile.premises
        if not isinstance(config, WholeContext):
            return self.evidence_of(context)
        if context not in self._pieces:
            self._pieces[context] = WholeContextPieces(context, config.max_whole_words, config.piece_words)
        return self._pieces[context]

    def chunks_about(self, claim: str) -> frozenset[int]:
        """The chunks, by their position in the job, that are about a claim."""
        return self.evidence_of(self.context).chunks_about(claim)

    def evidence_of(self, context: tuple[ContextField, ...]) -> EvidenceIndex:
        """The sentences of a part of the context, ranked for any claim."""
        if context not in self._indices:
            config = self.profile.premises
            sizes = RANKS_ONLY if isinstance(config, WholeContext) else config.sizes
            started = time.perf_counter()
            self._indices[context] = EvidenceIndex(context, self._context_splitter, sizes)
            self._split_seconds += time.perf_counter() - started
        return self._indices[context]

    def _units(self) -> list[Unit]:
        answer, splitter = self.job.response_text, self._ports.answer_splitter
        if self._takes_all_for_sentences:
            return [Unit(span.start, span.end, UnitKind.SENTENCE) for span in splitter.split(answer)]
        return answer_units(answer, splitter)

    @property
    def _takes_all_for_sentences(self) -> bool:
        """Whether everything in the answer is a claim but abstentions, as for the services that `original` follows."""
        return self.profile.name is ProfileName.ORIGINAL

    def _sentence(self, unit: Unit) -> Sentence:
        raw = self.job.response_text[unit.start : unit.end]
        claim = raw if unit.kind is UnitKind.CODE else clean(unit.statement or raw)
        non_claim = _NO_CLAIMS.get(unit.kind)
        if unit.kind is UnitKind.SENTENCE:
            if not self._takes_all_for_sentences:
                non_claim = reason_of(raw)
            elif is_abstention(raw):
                non_claim = UnscoredReason.ABSTENTION
        # a row of a table states something in two words, and nothing is left of a mark alone, whatever the setting
        is_long = unit.kind is UnitKind.TABLE_ROW or count_words(claim) >= self.profile.min_sentence_words
        too_few = None if is_long and has_word(claim) else UnscoredReason.TOO_FEW_WORDS
        reason = _NO_CLAIMS.get(unit.kind) or too_few or non_claim
        return Sentence(unit.start, unit.end, raw, claim, reason, unit.kind, non_claim)


class _SplitsOnce:
    """Remembers how it cut a text: a chunk is cut as a part of the whole context and by itself."""

    def __init__(self, splitter: Splitter) -> None:
        self._splitter = splitter
        self._known: dict[str, list[Span]] = {}

    def split(self, text: str) -> list[Span]:
        if text not in self._known:
            self._known[text] = self._splitter.split(text)
        return self._known[text]
