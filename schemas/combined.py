"""The composite of one span, joined from the results of several scorers: an entry of the composites stream."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from groundwire.schemas.composite import Composite  # noqa: TC001 - pydantic reads the annotation at run time
from groundwire.schemas.limits import MAX_ID_CHARS

Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]


class _Record(BaseModel):
    """A part of the entry: immutable; readers ignore fields that they don't know."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class CombinedPart(_Record):
    """A result that the composite was made of.

    Attributes:
        job_id: The job that the result belongs to.
        entry_id: Its entry on the results stream.
    """

    job_id: Id
    entry_id: str


class Combined(_Record):
    """What `groundwire combine` publishes for a span.

    Attributes:
        trace_id: The trace that the span is part of.
        span_id: The span whose answer was scored.
        metrics: The newest score of each metric that has arrived, 0..1, or null where its result has none. A metric
            that has not arrived is not there.
        composite: One number out of them.
        parts: The results that the scores are from, in the order of the results stream.
        complete: Whether every metric with a weight has arrived, with a score or without one.
        revision: 1 for the first composite of the span; one more each time that a later result changes it. Of several
            with the same ids the highest revision counts.
        combined_at: RFC 3339 time in UTC.
    """

    v: Literal[1] = 1
    trace_id: Id
    span_id: Id
    metrics: dict[str, Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] | None]
    composite: Composite
    parts: tuple[CombinedPart, ...]
    complete: bool
    revision: Annotated[int, Field(ge=1)]
    combined_at: str
