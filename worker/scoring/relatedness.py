"""How relevant the parts of a job are to each other: its query, the sentences of its context, those of its answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.grounds import context_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.evidence import ContextSentence

DIGITS = 6
"""Decimals of a calibrated value: the rest is noise of single-precision arithmetic."""


class Related(NamedTuple):
    """A sentence of the context and its calibrated relevance to the query, 0..1."""

    sentence: ContextSentence
    score: float


class ModelFields(TypedDict):
    """The fields that the details of all relevance metrics share."""

    relevance_model_id: str
    relevance_model_sha256: str
    floor: float
    ceiling: float


def query_of(case: Case) -> str:
    """Give the query as the model reads it; empty where the job has none, or nothing but blanks."""
    query = (case.job.query or "").strip()
    return clean(query) or query


def chunk_ids(case: Case) -> list[str | None]:
    """Give the id of each of the job's chunks, None where it has none; blank chunks are among them."""
    return [None] if case.job.rag_context is not None else [chunk.id for chunk in case.job.contexts or ()]


def sentences_of_chunks(case: Case) -> dict[int, list[ContextSentence]]:
    """Give the sentences of each chunk that is not blank, those that read the same once, in reading order."""
    order = {id(field): place for place, field in enumerate(case.context)}
    found = {}
    for chunk in dict.fromkeys(field.context_index for field in case.context):
        sentences = case.evidence_of(context_of(case, chunk)).best("", sys.maxsize)
        found[chunk] = sorted(sentences, key=lambda one: (order[id(one.passage.source)], one.passage.start))
    return found


def related_to_query(case: Case) -> dict[int, list[Related]]:
    """Give the sentences of each chunk that is not blank with their relevance to the query."""
    chunks = sentences_of_chunks(case)
    texts = list(dict.fromkeys(sentence.text for sentences in chunks.values() for sentence in sentences))
    [scores] = calibrated(case, [query_of(case)], texts)
    score_of = dict(zip(texts, scores.tolist(), strict=True))
    return {
        chunk: [Related(sentence, score_of[sentence.text]) for sentence in sentences]
        for chunk, sentences in chunks.items()
    }


def calibrated(case: Case, texts: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
    """Give the calibrated relevance, 0..1, of every passage to every text [texts, passages]."""
    raw = case.relevance.raw(texts, passages)
    return case.relevance.model.calibration.calibrate(raw).astype(float).round(DIGITS)


def model_fields(case: Case) -> ModelFields:
    """Say which model judged relevance and how its numbers were read."""
    model = case.relevance.model
    return {
        "relevance_model_id": model.model_id,
        "relevance_model_sha256": model.model_sha256,
        "floor": model.calibration.floor,
        "ceiling": model.calibration.ceiling,
    }
