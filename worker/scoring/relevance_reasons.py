"""Says in a sentence or two why a relevance metric or completeness has its score, in the style of `reasons`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Label
from groundwire.worker.scoring.reasons import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundwire.schemas import (
        AnswerRelevanceDetails,
        CompletenessDetails,
        ContextPrecisionDetails,
        ContextRelevanceDetails,
        ContextUtilisationDetails,
    )


def context_relevance_reason(details: ContextRelevanceDetails, *, name_chunks: bool) -> str:
    """Say how many sentences are relevant, and which chunks have none of them.

    Args:
        details: What the score was made from.
        name_chunks: Whether the context is chunks, not one text.
    """
    total = len(details.sentences)
    if not total:
        return "The score is 0, as there is no context."
    relevant = {one.context_index for one in details.sentences if one.relevant}
    count = sum(one.relevant for one in details.sentences)
    first = f"{count} of {total} {plural('sentence', total)} of the context {_is(count)} relevant to the query."
    without = sorted({one.context_index for one in details.sentences} - relevant)
    if not (name_chunks and relevant and without):
        return first
    return f"{first} {_chunks(without)} {'has' if len(without) == 1 else 'have'} none of them."


def context_precision_reason(details: ContextPrecisionDetails) -> str:
    """Say how many chunks are relevant, which are not, and how well the ranking puts the relevant ones first."""
    total = len(details.evaluations)
    if not total:
        return "The score is 0, as there is no context."
    count = sum(one.relevant for one in details.evaluations)
    first = f"{count} of {total} {plural('chunk', total)} {_is(count)} relevant to the query"
    if count in (0, total):
        return f"{first}."
    irrelevant = [one.index for one in details.evaluations if not one.relevant]
    first = f"{first}, {_chunks(irrelevant).lower()} {_is(len(irrelevant))} not."
    return f"{first} The mean precision at k is {details.mean_precision_at_k:.2f}."


def context_utilisation_reason(details: ContextUtilisationDetails) -> str:
    """Say on how many chunks the answer draws, and on which it doesn't."""
    total = len(details.chunks)
    unused = [chunk.index for chunk in details.chunks if not chunk.used]
    first = f"The answer draws on {total - len(unused)} of {total} {plural('chunk', total)}"
    return f"{first}, not on {_chunks(unused).lower()}." if 0 < len(unused) < total else f"{first}."


def answer_relevance_reason(details: AnswerRelevanceDetails) -> str:
    """Say how near the answer is to the query, which sentence is furthest from it, and which are evasive."""
    count = len(details.sentences)
    if not count:
        return "The score is 0, as no sentence of the answer makes a claim."
    least = min(details.sentences, key=lambda one: one.calibrated)
    mean = sum(one.calibrated for one in details.sentences) / count
    weakest = f"{least.calibrated:.2f} for sentence {least.sentence + 1}"
    spread = weakest if count == 1 else f"{mean:.2f} on average over {count} sentences, at least {weakest}"
    evasive = {one.sentence: str(one.sentence + 1) for one in details.sentences if one.evasive}
    said = f"The relevance of the answer to the query is {spread}."
    return (
        f"{said} {plural('Sentence', len(evasive))} {listed(evasive)} {_is(len(evasive))} evasive." if evasive else said
    )


def completeness_reason(details: CompletenessDetails) -> str:
    """Say how many of the reference's sentences the answer entails, and which it contradicts or leaves out."""
    labels = [one.label for one in details.reference_sentences]
    total = sum(label is not None for label in labels)
    first = (
        f"The answer entails {labels.count(Label.ENTAILMENT)} of {total} {plural('sentence', total)} of the reference."
    )
    parts = []
    for label, verb in ((Label.CONTRADICTION, "contradicts"), (Label.NEUTRAL, "leaves out")):
        named = {place: str(place) for place, found in enumerate(labels, 1) if found is label}
        if named:
            parts.append(f"{verb} {plural('sentence', len(named))} {listed(named)}")
    return f"{first} It {' and '.join(parts)}." if parts else first


def _chunks(indices: Iterable[int]) -> str:
    named = {index: str(index + 1) for index in indices}
    return f"{plural('Chunk', len(named))} {listed(named)}"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
