"""Entries of the job streams as a worker handles them: taken into work, then published or buried, never both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import TYPE_CHECKING

from groundwire.client import GROUP

if TYPE_CHECKING:
    from collections.abc import Sequence

    import redis

    from groundwire.client import Keys
    from groundwire.schemas import DeadReason, Result

LEASE_MS = 30_000
"""How long an entry stays with its worker after the last sign of life, see `groundwire.worker.queue.lease`: long
enough for a pause of the machine, short enough for whoever waits for a job whose worker died."""


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
    """

    result_ttl_s: int
    max_dead: int
    max_dead_payload_bytes: int


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
    """

    stream: str
    entry_id: str
    payload: bytes | None
    version: bytes | None
    attempt: int
    queued_ms: int


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
    """The scripts begin, renew, publish and bury.

    Every method raises redis-py's errors as they are: the caller decides whether the work comes back.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        worker: This process's consumer name, see `worker_name`.
        retention: How much is kept and for how long.
        lease_ms: How long an entry stays with a worker that holds it and does not renew its lease.

    Attributes:
        lease_ms: The same.
    """

    def __init__(
        self, server: redis.Redis, keys: Keys, worker: str, retention: Retention, lease_ms: int = LEASE_MS
    ) -> None:
        self._keys = keys
        self._worker = worker
        self._retention = retention
        self.lease_ms = lease_ms
        common = _source("common")
        self._begin = server.register_script(common + _source("begin"))
        self._renew = server.register_script(common + _source("renew"))
        self._publish = server.register_script(common + _source("publish"))
        self._bury = server.register_script(common + _source("bury"))

    def begin(self, stream: str, entry_id: str) -> Begun | None:
        """Take an entry into work; null when it is gone or another worker has it.

        Args:
            stream: Short name of the job stream.
            entry_id: The entry's id there.
        """
        begun = self._begin(
            keys=[self._keys.stream(stream), self._keys.attempts],
            args=[GROUP, entry_id, self._worker, self.lease_ms, _attempts_field(stream, entry_id)],
        )
        if begun is None:
            return None
        payload, version, attempt, queued_ms = begun
        return Begun(stream, entry_id, payload, version, attempt, queued_ms)

    def renew(self, entry: Begun) -> bool:
        """Begin an entry's lease anew; false when the entry is no longer this worker's.

        Args:
            entry: The entry, as `begin` returned it.
        """
        keys = [self._keys.stream(entry.stream)]
        return bool(self._renew(keys=keys, args=[GROUP, entry.entry_id, self._worker]))

    def publish(self, entry: Begun, result: Result, content_hash: str) -> Published:
        """Publish a job's result, unless the entry is no longer this worker's or the job id has a result.

        Args:
            entry: The entry, as `begin` returned it.
            result: The job's result.
            content_hash: The job's content hash.
        """
        ids = (result.trace_id, result.span_id, result.job_id)
        outcome: bytes = self._publish(
            keys=[*self._entry_keys(entry), *self._result_keys(result)],
            args=[*self._entry_args(entry), *ids, result.model_dump_json(), content_hash, self._ttl_ms],
        )
        return Published(outcome.decode())

    def bury(self, entry: Begun, failure: Failure, result: Result | None) -> bool:
        """Turn an entry into a dead letter; false when it is no longer this worker's and nothing was written.

        Args:
            entry: The entry, as `begin` returned it.
            failure: Why it can't be scored.
            result: The error result for whoever waits; null where the job's ids could not be read.
        """
        keep = (self._retention.max_dead, self._retention.max_dead_payload_bytes)
        keys: list[str] = [*self._entry_keys(entry), self._keys.dead]
        args: list[str | int] = [*self._entry_args(entry), entry.stream, *keep, *_texts(failure)]
        if result is not None:
            keys += self._result_keys(result)
            args += [result.trace_id, result.span_id, result.job_id, result.model_dump_json(), self._ttl_ms]
        outcome: bytes = self._bury(keys=keys, args=args)
        return outcome == b"buried"

    @property
    def _ttl_ms(self) -> int:
        return self._retention.result_ttl_s * 1000

    def _entry_keys(self, entry: Begun) -> Sequence[str]:
        return self._keys.stream(entry.stream), self._keys.attempts

    def _entry_args(self, entry: Begun) -> Sequence[str]:
        return GROUP, entry.entry_id, self._worker, _attempts_field(entry.stream, entry.entry_id)

    def _result_keys(self, result: Result) -> Sequence[str]:
        return self._keys.results, self._keys.trace(result.trace_id), self._keys.done(result.job_id)


def _attempts_field(stream: str, entry_id: str) -> str:
    """Two streams may hold entries with the same id, so the id alone is not enough."""
    return f"{stream}/{entry_id}"


def _texts(failure: Failure) -> Sequence[str]:
    return failure.reason.value, failure.field, failure.message


def _source(script: str) -> str:
    return files(__package__).joinpath(f"{script}.lua").read_text(encoding="utf-8")
