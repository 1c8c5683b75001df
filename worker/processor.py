"""What a worker does with one entry of a job stream: begin, parse, score, publish; or bury."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import redis

from groundwire.schemas import DeadReason, GroundwireError, InvalidJobError, Job, JobIds, MetricName, Result, parse_job
from groundwire.worker.error_result import error_result
from groundwire.worker.faults import PASSING, delay_ms
from groundwire.worker.queue import Begun, Entries, Failure, Published
from groundwire.worker.queue.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.schemas import Limits
    from groundwire.worker.queue.lease import Leases

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


@dataclass(frozen=True, slots=True)
class JobRules:
    """What a job may be and take.

    Attributes:
        limits: How large it may be.
        metrics: Metrics of jobs that name none, for error results.
        max_attempts: Attempts that it gets.
        job_timeout_s: Seconds that it may take; for the error of one that took longer.
    """

    limits: Limits
    metrics: Sequence[MetricName]
    max_attempts: int
    job_timeout_s: float


@dataclass(slots=True)
class _Attempt:
    """What is known of an entry so far: the thread that watches the clock may have to bury it at any time."""

    entry: Begun
    ids: JobIds | None = None
    job: Job | None = None


@dataclass(frozen=True, slots=True)
class _Passing:
    """A fault that passes by itself."""

    problem: str


class Processor:
    """Works off entries. What is wrong with one of them ends with it.

    It logs ids, reasons and kinds of errors, never an error's message that it has not written itself: such a message
    may quote the job.

    Args:
        entries: The job streams.
        leases: What this process has in work.
        scorer: What scores a job.
        rules: What a job may be and take.
        stopping: Whether this process may not wait any more for a server that went away.
    """

    def __init__(
        self,
        entries: Entries,
        leases: Leases,
        scorer: Scores,
        rules: JobRules,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._entries = entries
        self._leases = leases
        self._scorer = scorer
        self._rules = rules
        self._stopping = stopping

    def process(self, stream: str, entry_id: str) -> None:
        """Publish, bury or back off an entry, unless it is gone or another worker has it.

        Args:
            stream: Short name of the job stream.
            entry_id: The entry's id there.

        Raises:
            redis.RedisError: The server is away while this process stops, or it refuses to begin.
        """
        entry = patiently(lambda: self._entries.begin(stream, entry_id), self._stopping)
        if entry is None:
            logger.info("%s/%s: gone or with another worker", stream, entry_id)
        else:
            attempt = _Attempt(entry)
            with self._leases.work(entry, lambda: self._bury_timed_out(attempt)):
                judged = self._judge(attempt)
            try:
                self._conclude(attempt, judged)
            except redis.ResponseError as error:
                # A server that is full, for one. The lease runs out, and the entry is sent again.
                logger.warning("%s/%s: not written: %s", stream, entry_id, type(error).__name__)
        self._leases.done(entry_id)

    def _judge(self, attempt: _Attempt) -> Result | Failure | _Passing:
        """Parse and score."""
        entry = attempt.entry
        try:
            parsed = parse_job(_payload(entry), self._rules.limits, unknown_fields="warn")
        except InvalidJobError as error:
            attempt.ids = error.ids
            return Failure(error.reason, error.field, str(error))
        except Exception as error:  # noqa: BLE001 - no job may end the task, and with it its neighbours' turn
            return _fault(error, "while the job was read; please report it as a bug of groundwire")
        job = attempt.job = parsed.job
        attempt.ids = JobIds(job.id, job.trace_id, job.span_id)
        if entry.used_up:
            return self._used_up("")
        try:
            return self._scorer.score(job, parsed.warnings, entry.queued_ms, entry.attempt)
        except Exception as error:  # noqa: BLE001 - whatever a job does to the scorer, its neighbours go on
            return _fault(error, "in the scorer")

    def _conclude(self, attempt: _Attempt, judged: Result | Failure | _Passing) -> None:
        """Write what came of it."""
        entry = attempt.entry
        if isinstance(judged, _Passing):
            if entry.attempt < self._rules.max_attempts:
                self._back_off(entry, judged.problem)
                return
            judged = self._used_up(f"; the last one with {judged.problem}")
        if isinstance(judged, Failure):
            self._bury(attempt, judged)
        elif attempt.job is not None:  # it has been read, or there were no result; the check is for mypy
            self._publish(attempt, judged, attempt.job)

    def _publish(self, attempt: _Attempt, result: Result, job: Job) -> None:
        entry = attempt.entry
        outcome = patiently(lambda: self._entries.publish(entry, result, job.content_hash), self._stopping)
        if outcome is Published.CONFLICT:
            problem = "another job with this id has a result; use another job_id, or leave it out"
            self._bury(attempt, Failure(DeadReason.JOB_ID_CONFLICT, "job_id", problem))
            return
        logger.info("%s/%s: %s, job %s, attempt %d", entry.stream, entry.entry_id, outcome, job.id, entry.attempt)

    def _back_off(self, entry: Begun, problem: str) -> None:
        delay = delay_ms(entry.attempt)
        patiently(lambda: self._entries.retry(entry, problem, delay), self._stopping)
        logger.warning(
            "%s/%s: attempt %d failed, again in %.2f s: %s",
            entry.stream, entry.entry_id, entry.attempt, delay / 1000, problem,
        )  # fmt: skip

    def _bury(self, attempt: _Attempt, failure: Failure) -> None:
        patiently(lambda: self._bury_at_once(attempt, failure), self._stopping)

    def _bury_at_once(self, attempt: _Attempt, failure: Failure) -> None:
        entry, ids, job = attempt.entry, attempt.ids, attempt.job
        metrics = (None if job is None else job.metrics) or self._rules.metrics
        result = None if ids is None else error_result(entry, failure, ids, metrics, job)
        outcome = "buried" if self._entries.bury(entry, failure, result) else "lost"
        logger.warning(
            "%s/%s: %s, reason %s, field %s", entry.stream, entry.entry_id, outcome, failure.reason, failure.field
        )

    def _bury_timed_out(self, attempt: _Attempt) -> None:
        limit = f"{self._rules.job_timeout_s:g} s, the limit that GROUNDWIRE_JOB_TIMEOUT_S sets"
        problem = f"payload: the job took longer than {limit}"
        self._bury_at_once(attempt, Failure(DeadReason.TIMED_OUT, "payload", problem))

    def _used_up(self, last: str) -> Failure:
        number = self._rules.max_attempts
        problem = f"payload: all {number} attempts failed{last}; see groundwire dead show"
        return Failure(DeadReason.TOO_MANY_ATTEMPTS, "payload", problem)


def _fault(error: Exception, where: str) -> Failure | _Passing:
    # Only errors of our own have messages that are known to hold no text of the job.
    problem = str(error) if isinstance(error, GroundwireError) else f"{type(error).__name__} {where}"
    return _Passing(problem) if isinstance(error, PASSING) else Failure(DeadReason.SCORING_FAILED, "payload", problem)


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
