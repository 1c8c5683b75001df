"""Handing over a job: known jobs are not sent twice, and a full job stream takes no more."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from groundwire.client.connection import as_text, queue_errors
from groundwire.client.keys import STREAM_NAMES
from groundwire.schemas import BacklogError, DeadReason, InvalidJobError, JobIds

if TYPE_CHECKING:
    import redis

    from groundwire.client.keys import Keys
    from groundwire.client.settings import ClientSettings
    from groundwire.schemas import Job


@dataclass(frozen=True, slots=True)
class Submitted:
    """A job that was handed over.

    Attributes:
        job_id: The job's id: its own, or the one derived from its content.
        trace_id: The trace that it belongs to.
        entry_id: Its entry on the job stream; null when nothing was sent, as the same job has its result already or
            the job was dropped.
        after: The result that the id had in this trace when the job was sent, as an entry id of the results stream:
            that of an earlier job, such as the error of a job that is now sent corrected. The job's own comes after it.
            Null when there was none, or when it is the job's own.
        dropped: Whether the job stream was full and the job was dropped, as GROUNDWIRE_ON_FULL=drop says. It will have
            no result.
    """

    job_id: str
    trace_id: str
    entry_id: str | None
    after: str | None = None
    dropped: bool = False


class Submission:
    """The script submit: one round trip for each job.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        settings: How many jobs may wait, and what becomes of one that finds the stream full.
    """

    def __init__(self, server: redis.Redis, keys: Keys, settings: ClientSettings) -> None:
        self._keys = keys
        self._settings = settings
        self._submit = server.register_script(files(__package__).joinpath("submit.lua").read_text(encoding="utf-8"))

    def submit(self, job: Job) -> Submitted:
        """Put a job that was checked onto the job stream of its priority.

        Raises:
            InvalidJobError: The job's id belongs to another content.
            BacklogError: The stream is full, and jobs are to be refused then.
            QueueError: The server can't be reached, or refused.
        """
        name = STREAM_NAMES[job.priority]
        keys = [self._keys.stream(name), self._keys.trace(job.trace_id), self._keys.done(job.id), self._keys.dropped]
        bound = (self._settings.max_backlog, self._settings.on_full.value)
        with queue_errors(self._settings):
            reply = self._submit(keys=keys, args=[job.id, job.content_hash, job.to_payload(), *bound])
        outcome = as_text(reply[0])
        if outcome == "conflict":
            problem = f"{job.id} has a result for another content; use another job_id, or leave it out"
            ids = JobIds(job.id, job.trace_id, job.span_id)
            raise InvalidJobError(DeadReason.JOB_ID_CONFLICT, "job_id", problem, ids)
        if outcome == "refused":
            raise BacklogError(
                f"the stream {name} holds {reply[1]:,} jobs, and GROUNDWIRE_MAX_BACKLOG allows "
                f"{self._settings.max_backlog:,}: job {job.id} was not sent; send it later, or start more workers"
            )
        if outcome != "sent":
            return Submitted(job.id, job.trace_id, None, dropped=outcome == "dropped")
        _, entry_id, earlier = reply
        return Submitted(job.id, job.trace_id, as_text(entry_id), None if earlier is None else as_text(earlier))
