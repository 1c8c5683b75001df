"""What has arrived for one span, and the composite that it makes. Knows nothing of Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt

from groundwire.client.connection import entry_order
from groundwire.schemas import Combined, CombinedPart, composite
from groundwire.schemas.clock import utc_now
from groundwire.schemas.limits import MAX_ID_CHARS

if TYPE_CHECKING:
    from collections.abc import Mapping

KEPT_JOBS = 16
"""Jobs that are remembered for one metric of a span. Only a sender that gives all its answers the same ids has more,
and its state must not grow without end; of a job that is forgotten, a repeated result counts as a new one."""

MAX_METRICS = 256
"""Metrics that one result may hold, for the same reason."""

Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS, strict=True)]


class PartMetric(BaseModel):
    """What the composite needs of a metric."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    score: Annotated[StrictFloat | StrictInt, Field(ge=0, le=1)] | None


class Part(BaseModel):
    """What the composite needs of a result. Nothing else of it is looked at, so that any system's results will do."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    v: Literal[1]
    trace_id: Id
    span_id: Id
    job_id: Id
    metrics: Annotated[dict[str, PartMetric], Field(max_length=MAX_METRICS)]


class Seen(NamedTuple):
    """A job's score of a metric, and the entry of the results stream that brought it."""

    entry_id: str
    score: float | None


class SpanJoin(BaseModel):
    """The results that have arrived for one span.

    Attributes:
        trace_id: The trace that the span is part of.
        span_id: The span whose answer was scored.
        revision: Revision of the composite that was last published; 0 before the first.
        seen: Metric name to job id to the job's score of it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    trace_id: str
    span_id: str
    revision: int = 0
    seen: dict[str, dict[str, Seen]] = Field(default_factory=dict)

    def with_part(self, entry_id: str, part: Part) -> Self:
        """Return what there is with one more result.

        Of a metric the newest score counts, by its place on the results stream, whatever the order in which results
        are added. A result that a job repeats is no newer than the one that it repeats.

        Args:
            entry_id: The result's entry on the results stream.
            part: The result.
        """
        seen = dict(self.seen)
        for name, metric in part.metrics.items():
            jobs = seen.get(name, {})
            score = _newer(jobs.get(part.job_id), Seen(entry_id, metric.score))
            newest_last = sorted((jobs | {part.job_id: score}).items(), key=_place)
            seen[name] = dict(newest_last[-KEPT_JOBS:])
        return self.model_copy(update={"seen": seen})

    def latest(self) -> dict[str, tuple[str, float | None]]:
        """Metric name to the job that scored it last, and its score."""
        return {name: (job_id, score.score) for name, (job_id, score) in self._newest().items()}

    def is_complete(self, weights: Mapping[str, float]) -> bool:
        """Whether every metric with a weight has arrived, with a score or without one."""
        return all(name in self.seen for name, weight in weights.items() if weight > 0)

    def combine(self, weights: Mapping[str, float]) -> Combined:
        """Make the next revision of the span's composite.

        Args:
            weights: Metric name to weight; a metric that is not there counts as one of weight zero.

        Raises:
            WeightsError: A weight is negative or not finite, or all are zero.
        """
        newest = self._newest()
        scores = {name: score.score for name, (_, score) in sorted(newest.items())}
        parts = {(entry_order(score.entry_id), job_id): score.entry_id for job_id, score in newest.values()}
        return Combined(
            trace_id=self.trace_id,
            span_id=self.span_id,
            metrics=scores,
            composite=composite(scores, dict.fromkeys(scores, 0.0) | dict(weights)),
            parts=tuple(CombinedPart(job_id=job_id, entry_id=parts[place, job_id]) for place, job_id in sorted(parts)),
            complete=self.is_complete(weights),
            revision=self.revision + 1,
            combined_at=utc_now(),
        )

    def _newest(self) -> dict[str, tuple[str, Seen]]:
        return {name: max(jobs.items(), key=_place) for name, jobs in self.seen.items()}


def _place(item: tuple[str, Seen]) -> tuple[int, int]:
    """Where a score stands on the results stream."""
    return entry_order(item[1].entry_id)


def _newer(known: Seen | None, new: Seen) -> Seen:
    """Which of two results of one job counts. A repeated one counts from where the score stood first."""
    if known is None:
        return new
    first, last = sorted((known, new), key=lambda seen: entry_order(seen.entry_id))
    return first if known.score == new.score else last
