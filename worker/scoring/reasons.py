"""Says in a sentence or two why an answer has its score: sentences by their number, never by their text.

Sentences and chunks are counted from 1, as citation marks count them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.schemas import Evidence, GroundednessDetails, SentenceGrounding, SentenceResult

MAX_LISTED = 10
"""Sentences that are named one by one; of more only the number is given."""


def faithfulness_reason(results: Sequence[SentenceResult], *, name_chunks: bool) -> str:
    """Say how many sentences are supported, and which are contradicted or left open.

    Args:
        results: Every sentence of the answer in order; at least one has a label.
        name_chunks: Whether to say which chunks contradict: there are chunks, not one text.
    """
    labels = [result.label for result in results]
    scored = sum(label is not None for label in labels)
    entailed = labels.count(Label.ENTAILMENT)
    first = f"The context supports {entailed} of {scored} scored {plural('sentence', scored)}."
    if entailed == scored:
        return first
    contradicted = {
        number: f"{number} ({_chunk_names(result.evidence)})" if name_chunks else str(number)
        for number, result in enumerate(results, 1)
        if result.label is Label.CONTRADICTION
    }
    open_ones = {number: str(number) for number, label in enumerate(labels, 1) if label is Label.NEUTRAL}
    parts = [
        f"{verb} {plural('sentence', len(named))} {listed(named)}"
        for named, verb in ((contradicted, "contradicts"), (open_ones, "neither supports nor contradicts"))
        if named
    ]
    return f"{first} It {', and '.join(parts)}."


def groundedness_reason(details: GroundednessDetails, results: Mapping[int, SentenceResult]) -> str:
    """Say what floored the score, or else how relevant the chunks are and whether the citations hold.

    Args:
        details: What the score was made from; at least one sentence counts.
        results: The sentences that count, by their position in the answer.
    """
    named = {
        one.sentence: f"{one.sentence + 1} ({_contradicting(one, results[one.sentence])})"
        for one in details.sentences
        if results[one.sentence].label is Label.CONTRADICTION
    }
    if named:
        held_against = "what the answer cites" if details.cites else "the context"
        return f"The score is 0, as {held_against} contradicts {plural('sentence', len(named))} {listed(named)}."
    ids = {chunk.context_index: chunk.context_id for chunk in details.chunks}
    least = min(details.sentences, key=lambda one: one.calibrated)
    chunk = chunk_name(least.best_chunk, ids[least.best_chunk])
    weakest = f"{least.calibrated:.2f} for sentence {least.sentence + 1} ({chunk})"
    count = len(details.sentences)
    mean = sum(one.calibrated for one in details.sentences) / count
    relevance = weakest if count == 1 else f"{mean:.2f} on average over {count} scored sentences, at least {weakest}"
    return f"The relevance of the evidence is {relevance}.{_on_citations(details)}"


def nothing_to_ground_reason(*, chunks: int, min_chars: int) -> str:
    """Say why an answer has no score of its own but 0.

    Args:
        chunks: Number of chunks that it is held against.
        min_chars: Characters that a sentence needs to count.
    """
    if not chunks:
        return "The score is 0, as there is no chunk with text to hold the answer against."
    return f"The score is 0, as no sentence of the answer has at least {min_chars} characters."


def _chunk_names(evidence: Sequence[Evidence]) -> str:
    """Name the chunk that passages are from; of several only the numbers."""
    ids = {piece.context_index: piece.context_id for piece in evidence}
    if len(ids) == 1:
        return chunk_name(*ids.popitem())
    return f"chunks {listed({index: str(index + 1) for index in sorted(ids)})}"


def _contradicting(one: SentenceGrounding, result: SentenceResult) -> str:
    """Name the chunk that contradicts a sentence: of a premise from several the one that the sentence is about."""
    most_relevant = [piece for piece in result.evidence if piece.context_index == one.best_chunk]
    return _chunk_names(most_relevant or result.evidence)


def _on_citations(details: GroundednessDetails) -> str:
    """Say how many citations support their sentence, where that is known."""
    cited = [one for one in details.sentences if one.cited and one.supporting is not None]
    pairs = sum(len(one.cited) for one in cited)
    if not pairs:
        return ""
    right = sum(len(one.supporting or ()) for one in cited)
    supports = "citation supports its sentence" if pairs == 1 else "citations support their sentences"
    # one chunk may hold half of what a sentence says, and another one the rest
    alone = " by themselves" if right < pairs > 1 else ""
    wrong = {one.sentence + 1: str(one.sentence + 1) for one in cited if not one.supporting}
    none_of = f", none of those in {plural('sentence', len(wrong))} {listed(wrong)}" if wrong and right else ""
    return f" {right} of {pairs} {supports}{alone}{none_of}."


def chunk_name(index: int, name: str | None) -> str:
    """Name a chunk by its position, which is given from 0 and shown from 1, and its id where it has one."""
    return f"chunk {index + 1}" if name is None else f"chunk {index + 1}, id {name}"


def plural(noun: str, count: int) -> str:
    """Give a noun as it stands behind a count."""
    return noun if count == 1 else f"{noun}s"


def listed(named: Mapping[int, str]) -> str:
    """List names, at least one; of more than MAX_LISTED the rest by its number."""
    shown = list(named.values())[:MAX_LISTED]
    left = len(named) - len(shown)
    if left:
        shown.append(f"{left} more")
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
