"""What a metric's result says beyond score and sentences: `details`, told apart by their `kind`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from groundwire.schemas.names import GroundednessMode  # noqa: TC001 - pydantic reads the annotation at run time

Score = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


class ResultPart(BaseModel):
    """A part of the result: immutable; readers ignore fields that they don't know."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class UsedChunk(ResultPart):
    """A chunk that the answer was held against.

    Attributes:
        context_index: Position of the chunk in the job, from 0; the single-string form of the context is chunk 0.
        context_id: The chunk's own id, where it has one.
    """

    context_index: Count
    context_id: str | None = None


class SentenceGrounding(ResultPart):
    """How a sentence of the answer stands on the chunks.

    Attributes:
        sentence: Its position in `sentence_results`, from 0.
        raw: Relevance of the most relevant passage, as the model gives it: a cosine, -1..1, of an embedder, 0..1 of a
            reranker.
        calibrated: The same between floor and ceiling, 0..1. The score is the mean of these, unless a contradiction
            floors it.
        best_chunk: `context_index` of the chunk with that passage.
        cited: `context_index` of each chunk that the sentence cites, in order.
        supporting: Those of them that entail the sentence by themselves; if the job lists what the answer cites and
            the sentence has no mark, the chunks of the list that entail it, be it together. Null without the NLI model.
        entailed_by: Chunks of the passages that entail the sentence, whether it cites them or not; null without the NLI
            model.
        citation_supports: Whether a chunk that it cites supports it; null where it cites none or without the NLI model.
    """

    sentence: Count
    raw: Finite
    calibrated: Score
    best_chunk: Count
    cited: tuple[Count, ...] = ()
    supporting: tuple[Count, ...] | None = None
    entailed_by: tuple[Count, ...] | None = None
    citation_supports: bool | None = None


class GroundednessDetails(ResultPart):
    """What groundedness was made from.

    Attributes:
        mode: Whether the NLI model was asked.
        relevance_model_id: Name of the model that judged relevance.
        relevance_model_sha256: Hash of its graph.
        floor: Raw relevance that counts as none.
        ceiling: Raw relevance that counts as full.
        chunks: The chunks that the answer was held against: those it cites, in order of citation, else the best.
        cites: Whether these are the chunks that the answer cites.
        unresolved_citations: Numbers and ids in citations that are no chunk of the job, in order.
        sentences: Every sentence that counts, in order.
        citation_precision: Pairs of a sentence and a chunk that it cites in which the chunk supports the sentence,
            divided by all such pairs; null where there are none, or without the NLI model.
        citation_recall: Sentences that a chunk they cite supports, divided by all sentences that count; null for an
            answer that cites nothing, or without the NLI model.
    """

    kind: Literal["groundedness"] = "groundedness"
    mode: GroundednessMode
    relevance_model_id: str
    relevance_model_sha256: str
    floor: Finite
    ceiling: Finite
    chunks: tuple[UsedChunk, ...] = ()
    cites: bool
    unresolved_citations: tuple[str, ...] = ()
    sentences: tuple[SentenceGrounding, ...] = ()
    citation_precision: Score | None = None
    citation_recall: Score | None = None
