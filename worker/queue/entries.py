"""Entries of the job streams as a worker handles them: taken into work, then published or buried, never both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.client import GROUP
from groundwire.client.keys import HELD, WORKER
from groundwire.schemas.clock import utc_now
from groundwire.worker.queue.names import RELEASED
from groundwire.worker.queue.scripts import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    import redis

    from groundwire.client import Keys
    from groundwire.schemas import DeadReason, Result

LEASE_MS = 6_000
"""How long an entry stays with its worker after the last sign of life, see `groundwire.worker.queue.lease`: three
renewals, so that two may fail or come late; short, for somebody waits for the job of a worker that died."""

RELEASED_IDLE_MS = 24 * 3600 * 1000
"""Idle time of what was handed back: above every time that an intake waits for a sign of life."""


class Published(StrEnum):
    """What came of publishing a result, as the script says it."""

    PUBLISHED = "published"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept and for how long.

    Attributes:
        result_ttl_s: Seconds for which a result is found by its ids and a job sent again is known.
        max_dead: Dead letters to keep, roughly.
        max_dead_payload_bytes: Bytes of a job to keep with its dead letter.
        keep_jobs_s: Seconds to keep a job once it has its result; 0: not at all.
    """

    result_ttl_s: int
    max_dead: int
    max_dead_payload_bytes: int
    keep_jobs_s: int = 0


@dataclass(frozen=True, slots=True)
class Attempts:
    """How often an entry is tried.

    Attributes:
        number: Attempts that it gets.
        lease_ms: How long it stays with a worker that has it and does not renew its lease.
    """

    number: int
    lease_ms: int = LEASE_MS


@dataclass(frozen=True, slots=True)
class Begun:
    """An entry that this worker has in work.

    Attributes:
        stream: Short name of the job stream.
        entry_id: The entry's id there.
        payload: The job's JSON; null where the entry has no such field.
        version: Version of the entry's format as the producer wrote it; null where the entry has no such field.
        attempt: How often a worker has started on it, this time included.
        queued_ms: Milliseconds since it was put on the stream.
        used_up: Whether its attempts were used up before; this start is none then, and is there to bury it.
    """

    stream: str
    entry_id: str
    payload: bytes | None
    version: bytes | None
    attempt: int
    queued_ms: int
    used_up: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job becomes a dead letter.

    Attributes:
        reason: What kind of fault it is.
        field: Path of the field at fault.
        message: One line for people; no text of the job.
    """

    reason: DeadReason
    field: str
    message: str


class Entries:
    """The job streams, as one worker process may use them.

    Every method raises redis-py's errors as they are: the caller decides whether the work comes back.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        process: This process's name, see `process_name`.
        retention: How much is kept and for how long.
        attempts: How often an entry is tried, and for how long without a sign of life.
    """

    def __init__(
        self,
        server: redis.Redis,
        keys: Keys,
        process: str,
        retention: Retention,
        attempts: Attempts,
    ) -> None:
        self._keys = keys
        self._process = process
        self._retention = retention
        self._attempts = attempts
        names = ("hold", "begin", "renew", "publish", "bury", "retry", "release")
        self._scripts = {name: load(server, name) for name in names}

    def hold(self, stream: str, entry_ids: Sequence[str]) -> int:
        """Take the entries of a message before beginning with the first, and return how many that were.

        Args:
            stream: Short name of the job stream.
            entry_ids: Ids of its entries.
        """
        args = [GROUP, HELD + self._process, *entry_ids]
        return int(self._scripts["hold"](keys=[self._keys.stream(stream)], args=args))

    def begin(self, stream: str, entry_id: str) -> Begun | None:
        """Take an entry into work; null when it is gone, backed off, or another worker has it.

        Args:
            stream: Short name of the job stream.
            entry_id: The entry's id there.
        """
        field = _field(stream, entry_id)
        begun = self._scripts["begin"](
            keys=self._keys_of(stream),
            args=[GROUP, entry_id, self._process, self._attempts.lease_ms, field, self._attempts.number, utc_now()],
        )
        if begun is None:
            return None
        payload, version, attempt, queued_ms, used_up = begun
        return Begun(stream, entry_id, payload, version, attempt, queued_ms, bool(used_up))

    def renew(self, stream: str, entry_ids: Sequence[str]) -> Sequence[str]:
        """Begin the leases of entries anew; returns the ids of those that are no longer this process's.

        Args:
            stream: Short name of the job stream.
            entry_ids: Ids of entries that are held or in work.
        """
        lost = self._scripts["renew"](keys=[self._keys.stream(stream)], args=[GROUP, self._process, *entry_ids])
        return [entry_id.decode() for entry_id in lost]

    def release(self, stream: str, entry_ids: Sequence[str]) -> int:
        """Hand entries back, to be sent again at once, without the attempts that were begun.

        Args:
            stream: Short name of the job stream.
            entry_ids: Ids of entries that are held or in work.

        Returns:
            How many of them were this process's.
        """
        keys = [self._keys.stream(stream), self._keys.attempts]
        args: list[str | int] = [GROUP, self._process, RELEASED, RELEASED_IDLE_MS, stream, *entry_ids]
        return int(self._scripts["release"](keys=keys, args=args))

    def retry(self, entry: Begun, problem: str, delay_ms: int) -> bool:
        """Have an entry sent again after a while; false when it is no longer this process's.

        Args:
            entry: The entry, as `begin` returned it.
            problem: What was wrong, in one line without text of the job, for the history of errors.
            delay_ms: Milliseconds to wait.
        """
        args: list[str | int] = [*self._entry_args(entry), delay_ms, problem, utc_now()]
        return bool(self._scripts["retry"](keys=self._keys_of(entry.stream), args=args))

    def publish(self, entry: Begun, result: Result, content_hash: str) -> Published:
        """Publish a job's result, unless the entry is no longer this worker's or the job id has a result.

        Args:
            entry: The entry, as `begin` returned it.
            result: The job's result.
            content_hash: The job's content hash.
        """
        ids = (result.trace_id, result.span_id, result.job_id)
        keys = [*self._keys_of(entry.stream), *self._result_keys(result)]
        args = [*self._entry_args(entry), *ids, result.model_dump_json(), content_hash, self._ttl_ms]
        # The job that was scored once more is there already.
        if self._retention.keep_jobs_s and result.rescored_from is None:
            keys.append(self._keys.scored)
            args.append(self._retention.keep_jobs_s * 1000)
        outcome: bytes = self._scripts["publish"](keys=keys, args=args)
        return Published(outcome.decode())

    def bury(self, entry: Begun, failure: Failure, result: Result | None) -> bool:
        """Turn an entry into a dead letter; false when it is no longer this worker's and nothing was written.

        Args:
            entry: The entry, as `begin` returned it.
            failure: Why it can't be scored.
            result: The error result for whoever waits; null where the job's ids could not be read.
        """
        keep = (self._retention.max_dead, self._retention.max_dead_payload_bytes)
        keys = [*self._keys_of(entry.stream), self._keys.dead]
        args: list[str | int] = [*self._entry_args(entry), entry.stream, *keep, *_texts(failure)]
        if result is not None:
            keys += self._result_keys(result)
            args += [result.trace_id, result.span_id, result.job_id, result.model_dump_json(), self._ttl_ms]
        outcome: bytes = self._scripts["bury"](keys=keys, args=args)
        return outcome == b"buried"

    @property
    def _ttl_ms(self) -> int:
        return self._retention.result_ttl_s * 1000

    def _keys_of(self, stream: str) -> list[str]:
        return [self._keys.stream(stream), self._keys.attempts, self._keys.errors]

    def _entry_args(self, entry: Begun) -> Sequence[str | int]:
        field = _field(entry.stream, entry.entry_id)
        return GROUP, entry.entry_id, WORKER + self._process, field, entry.attempt

    def _result_keys(self, result: Result) -> Sequence[str]:
        return self._keys.results, self._keys.trace(result.trace_id), self._keys.done(result.job_id)


def _field(stream: str, entry_id: str) -> str:
    """Two streams may hold entries with the same id, so the id alone is not enough."""
    return f"{stream}/{entry_id}"


def _texts(failure: Failure) -> Sequence[str]:
    return failure.reason.value, failure.field, failure.message
