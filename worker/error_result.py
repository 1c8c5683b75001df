"""The result of a job that could not be scored: every metric says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Job, JobIds, MetricError, MetricName, MetricResult, Result, Status, Timing
from groundwire.schemas.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.queue import Begun, Failure


def error_result(entry: Begun, failure: Failure, ids: JobIds, metrics: Sequence[MetricName], job: Job | None) -> Result:
    """Return the result with which whoever waits for the job learns that it failed.

    Args:
        entry: The job's entry.
        failure: Why it could not be scored.
        ids: The job's ids.
        metrics: Metrics that it asked for.
        job: The job, where it could be read.
    """
    error = MetricError(code=failure.reason.value, message=failure.message)
    return Result(
        job_id=ids.job_id,
        trace_id=ids.trace_id,
        span_id=ids.span_id,
        project=None if job is None else job.project,
        attributes=(None if job is None else job.attributes) or {},
        rescored_from=None if job is None else job.rescored_from,
        metrics={name.value: MetricResult(score=None, status=Status.ERROR, error=error) for name in metrics},
        scorer=None,
        timing=Timing(queued_ms=entry.queued_ms),
        evaluated_at=utc_now(),
        attempt=entry.attempt,
    )
