"""Details of the metrics that ask whether query, context and answer are about the same thing."""

from __future__ import annotations

from typing import Literal

from groundwire.schemas.details import Count, Finite, ResultPart, Score
from groundwire.schemas.names import EvidenceField  # noqa: TC001 - pydantic reads the annotation at run time


class RelevanceDetails(ResultPart):
    """What such metrics have in common: the model that judged relevance, and how its numbers were read.

    Attributes:
        relevance_model_id: Name of the model.
        relevance_model_sha256: Hash of its graph.
        floor: Raw relevance that counts as none, 0 when calibrated.
        ceiling: Raw relevance that counts as full, 1 when calibrated.
    """

    relevance_model_id: str
    relevance_model_sha256: str
    floor: Finite
    ceiling: Finite


class PassageRelevance(ResultPart):
    """A sentence of the context and how relevant it is to the query.

    Attributes:
        context_index: Position of its chunk in the job, from 0; the single-string form of the context is chunk 0.
        field: Which field of the chunk the offsets count in.
        start: First Unicode code point of the sentence in that field.
        end: One past the last.
        score: Calibrated relevance, 0..1.
        relevant: Whether it is at or above `relevant_from`.
    """

    context_index: Count
    field: EvidenceField
    start: Count
    end: Count
    score: Score
    relevant: bool


class ContextRelevanceDetails(RelevanceDetails):
    """What context relevance was made from.

    Attributes:
        relevant_from: Calibrated relevance from which on a sentence is relevant to the query.
        mean_relevance: Mean calibrated relevance of the sentences: it ranks contexts more finely than the score.
        sentences: Every sentence of the context, in its order. One that reads like an earlier one is left out.
    """

    kind: Literal["context_relevance"] = "context_relevance"
    relevant_from: Score
    mean_relevance: Score
    sentences: tuple[PassageRelevance, ...] = ()


class ChunkEvaluation(ResultPart):
    """The verdict on a chunk.

    Attributes:
        index: Its position in the job, from 0; the single-string form of the context is chunk 0.
        context_id: The chunk's own id, where it has one.
        relevant: Whether it is relevant to the query.
        score: Calibrated relevance of its most relevant sentence, 0..1; 0 for a chunk without text.
    """

    index: Count
    context_id: str | None = None
    relevant: bool
    score: Score


class ContextPrecisionDetails(RelevanceDetails):
    """What context precision was made from.

    Attributes:
        relevant_from: Calibrated relevance from which on a chunk is relevant to the query.
        mean_relevance: Mean of the chunks' scores: it ranks retrievals more finely than the score.
        mean_precision_at_k: The rank-aware form: mean of the precision among the first k chunks, over the ranks k of
            the relevant ones; 0 where none is relevant. Chunks rank in the order of the job.
        evaluations: The verdict on every chunk, in order.
    """

    kind: Literal["context_precision"] = "context_precision"
    relevant_from: Score
    mean_relevance: Score
    mean_precision_at_k: Score
    evaluations: tuple[ChunkEvaluation, ...] = ()


class ChunkUse(ResultPart):
    """What the answer draws from a chunk.

    Attributes:
        index: Position of the chunk in the job, from 0.
        context_id: The chunk's own id, where it has one.
        used: Whether a sentence of the answer draws on it.
        score: Calibrated relevance, 0..1, to that sentence of the answer that is nearest to it.
        sentences: The answer's sentences that draw on it, by their position in `sentence_results`, from 0.
    """

    index: Count
    context_id: str | None = None
    used: bool
    score: Score
    sentences: tuple[Count, ...] = ()


class ContextUtilisationDetails(RelevanceDetails):
    """What context utilisation was made from.

    Attributes:
        drawn_from: Calibrated relevance from which on a sentence of the answer draws on a chunk.
        chunks: Every chunk, in order.
    """

    kind: Literal["context_utilisation"] = "context_utilisation"
    drawn_from: Score
    chunks: tuple[ChunkUse, ...] = ()


class SentenceRelevance(ResultPart):
    """How relevant a sentence of the answer is to the query.

    Attributes:
        sentence: Its position in `sentence_results`, from 0.
        raw: Relevance as the model gives it.
        calibrated: The same between floor and ceiling, 0..1; 0 for an evasive sentence, whatever the model says.
        evasive: Whether it says nothing but that the question can't be answered.
    """

    sentence: Count
    raw: Finite
    calibrated: Score
    evasive: bool


class AnswerRelevanceDetails(RelevanceDetails):
    """What answer relevance was made from.

    Attributes:
        sentences: Every sentence of the answer that counts, in order.
    """

    kind: Literal["answer_relevance"] = "answer_relevance"
    sentences: tuple[SentenceRelevance, ...] = ()
