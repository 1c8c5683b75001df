"""What a worker does with one entry of a job stream: begin, parse, score, publish; or bury."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Protocol

import redis

from groundwire.schemas import (
    DeadReason,
    GroundwireError,
    InvalidJobError,
    Job,
    JobIds,
    MetricError,
    MetricName,
    MetricResult,
    Result,
    Status,
    Timing,
    parse_job,
)
from groundwire.schemas.clock import utc_now
from groundwire.worker.queue import Begun, Entries, Failure, Published
from groundwire.worker.queue.lease import held

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.schemas import Limits

ENTRY_VERSION = b"1"
"""The entry format that this release reads: the fields `v` and `payload`."""

SHOWN_VERSION = re.compile(rb"[0-9.]{1,8}")
"""A version that an error may show: a producer's mistake can put text in its place."""

logger = logging.getLogger(__name__)


class Scores(Protocol):
    """What turns a job into its result; see `groundwire.worker.scorer.JobScorer`."""

    def score(self, job: Job, warnings: Sequence[str] = (), queued_ms: float | None = None, attempt: int = 1) -> Result:
        """Return the job's result."""
        ...


class Processor:
    """Works off entries. What is wrong with one of them ends with it.

    It logs ids, reasons and kinds of errors, never an error's message that it has not written itself: such a message
    may quote the job.

    Args:
        entries: The job streams.
        scorer: What scores a job.
        limits: How large a job may be.
        metrics: Metrics of jobs that name none, for error results.
    """

    def __init__(self, entries: Entries, scorer: Scores, limits: Limits, metrics: Sequence[MetricName]) -> None:
        self._entries = entries
        self._scorer = scorer
        self._limits = limits
        self._metrics = metrics

    def process(self, stream: str, entry_id: str) -> None:
        """Publish or bury an entry, unless it is gone or another worker has it.

        Args:
            stream: Short name of the job stream.
            entry_id: The entry's id there.

        Raises:
            redis.RedisError: The server went away or refused. What was not published stays on the stream.
        """
        entry = self._entries.begin(stream, entry_id)
        if entry is None:
            logger.info("%s/%s: gone or with another worker", stream, entry_id)
        else:
            self._work_off(entry)

    def _work_off(self, entry: Begun) -> None:
        try:
            parsed = parse_job(_payload(entry), self._limits, unknown_fields="warn")
        except InvalidJobError as error:
            self._bury(entry, _failure(error), error.ids, self._metrics)
            return
        except Exception as error:  # noqa: BLE001 - no job may end the task, and with it its neighbours' turn
            problem = f"{type(error).__name__} while the job was read; please report it as a bug of groundwire"
            self._bury(entry, Failure(DeadReason.SCORING_FAILED, "payload", problem), None, self._metrics)
            return
        job = parsed.job
        ids = JobIds(job.id, job.trace_id, job.span_id)
        try:
            with held(self._entries, entry):
                result = self._scorer.score(job, parsed.warnings, entry.queued_ms, entry.attempt)
            outcome = self._entries.publish(entry, result, job.content_hash)
        except redis.RedisError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a job does to the scorer, its neighbours go on
            # Only errors of our own have messages that are known to hold no text of the job.
            problem = str(error) if isinstance(error, GroundwireError) else f"{type(error).__name__} in the scorer"
            failure = Failure(DeadReason.SCORING_FAILED, "payload", problem)
            self._bury(entry, failure, ids, job.metrics or self._metrics, job)
            return
        if outcome is Published.CONFLICT:
            problem = "another job with this id has a result; use another job_id, or leave it out"
            self._bury(entry, Failure(DeadReason.JOB_ID_CONFLICT, "job_id", problem), ids, self._metrics, job)
            return
        logger.info("%s/%s: %s, job %s, attempt %d", entry.stream, entry.entry_id, outcome, job.id, entry.attempt)

    def _bury(
        self,
        entry: Begun,
        failure: Failure,
        ids: JobIds | None,
        metrics: Sequence[MetricName],
        job: Job | None = None,
    ) -> None:
        result = None if ids is None else _error_result(entry, failure, ids, metrics, job)
        outcome = "buried" if self._entries.bury(entry, failure, result) else "lost"
        logger.warning(
            "%s/%s: %s, reason %s, field %s", entry.stream, entry.entry_id, outcome, failure.reason, failure.field
        )


def _payload(entry: Begun) -> bytes:
    """The job's JSON, if the entry is one of the format that this release reads."""
    if entry.version is not None and entry.version != ENTRY_VERSION:
        shown = entry.version.decode() if SHOWN_VERSION.fullmatch(entry.version) else f"{len(entry.version)} bytes"
        problem = f"{shown} is not a version of entries that this release reads; it reads 1"
        raise InvalidJobError(DeadReason.UNSUPPORTED_VERSION, "v", problem)
    for field, value in (("v", entry.version), ("payload", entry.payload)):
        if value is None:
            problem = "the entry has no such field; write XADD <stream> * v 1 payload <JSON of the job>"
            raise InvalidJobError(DeadReason.MALFORMED_ENTRY, field, problem)
    return entry.payload or b""


def _failure(error: InvalidJobError) -> Failure:
    return Failure(error.reason, error.field, str(error))


def _error_result(
    entry: Begun, failure: Failure, ids: JobIds, metrics: Sequence[MetricName], job: Job | None
) -> Result:
    """The result of a job that could not be scored: every metric says why."""
    error = MetricError(code=failure.reason.value, message=failure.message)
    return Result(
        job_id=ids.job_id,
        trace_id=ids.trace_id,
        span_id=ids.span_id,
        project=None if job is None else job.project,
        attributes=(None if job is None else job.attributes) or {},
        metrics={name.value: MetricResult(score=None, status=Status.ERROR, error=error) for name in metrics},
        scorer=None,
        timing=Timing(queued_ms=entry.queued_ms),
        evaluated_at=utc_now(),
        attempt=entry.attempt,
    )
