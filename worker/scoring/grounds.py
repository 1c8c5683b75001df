"""What groundedness looks at: the sentences that count, and the chunks and passages that they are held against."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.models.answer_units import UnitKind
from groundwire.schemas import UnscoredReason
from groundwire.worker.scoring.context import ContextField, Passage
from groundwire.worker.scoring.premises import Premise
from groundwire.worker.scoring.words import has_word

if TYPE_CHECKING:
    from groundwire.worker.scoring.case import Case, Sentence


def sentences_with_limits(case: Case) -> list[Sentence]:
    """Give every sentence of the answer with the reason why it does not count for groundedness, if there is one."""
    limits = case.profile.grounding
    found: list[Sentence] = []
    counted = 0
    for sentence in case.sentences:
        reason = None
        # a row of a table states something in few characters
        min_chars = limits.min_sentence_chars if sentence.kind is UnitKind.SENTENCE else 0
        if sentence.kind not in (UnitKind.SENTENCE, UnitKind.TABLE_ROW):
            reason = sentence.non_claim
        # nothing is left of a sentence that is a citation mark alone, whatever the limit
        elif len(sentence.claim) < min_chars or not has_word(sentence.claim):
            reason = UnscoredReason.TOO_SHORT
        elif limits.skips and sentence.non_claim is not None:
            reason = sentence.non_claim
        elif counted == limits.max_sentences:
            reason = UnscoredReason.OVER_LIMIT
        counted += reason is None
        found.append(replace(sentence, unscored_reason=reason))
    return found


def chunks_held_against(case: Case) -> tuple[int, ...]:
    """Give the chunks, by their position in the job: those that the answer cites, in that order, else the best.

    Chunks without text are left out. The best are those with the highest scores where all have one, else the first.
    """
    filled = dict.fromkeys(field.context_index for field in case.context)
    limit = case.profile.grounding.max_chunks
    if case.citations.exist:
        return tuple(chunk for chunk in case.citations.chunks if chunk in filled)[:limit]
    scores = {chunk: case.job.contexts[chunk].score for chunk in filled} if case.job.contexts else {}
    stated = {chunk: score for chunk, score in scores.items() if score is not None}
    ranked = sorted(filled, key=lambda chunk: -stated[chunk]) if len(stated) == len(filled) else list(filled)
    return tuple(ranked[:limit])


def context_of(case: Case, *chunks: int) -> tuple[ContextField, ...]:
    """Give the texts of some chunks, in the order of the job."""
    return tuple(field for field in case.context if field.context_index in chunks)


def candidates_of(case: Case, chunks: tuple[int, ...], claim: str) -> list[Premise]:
    """Give the passages of which the most relevant one counts: sentences of the chunks, or each chunk as a whole."""
    config = case.profile.grounding
    if not config.whole_chunks:
        found = case.evidence_of(context_of(case, *chunks)).best(claim, config.max_candidates)
        return [Premise(sentence.text, (sentence.passage,)) for sentence in found]
    fields = [context_of(case, chunk) for chunk in chunks]
    return [
        Premise(
            text="\n".join(field.text for field in own),
            passages=tuple(Passage(field, 0, len(field.text)) for field in own),
        )
        for own in fields
    ]
