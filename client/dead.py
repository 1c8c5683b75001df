"""Dead letters: jobs that could not be scored, why, and how to send them once more."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from groundwire.client.connection import Entry, queue_errors, read_entries
from groundwire.client.keys import STREAM_NAMES
from groundwire.schemas import QueueError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import redis

    from groundwire.client.keys import Keys
    from groundwire.client.settings import ClientSettings

PAGE = 50
"""Dead letters per round trip: each may hold a whole job."""

PURGE_PAGE = 1000
"""Dead letters that are removed in one round trip, which holds the server up for about a millisecond."""

REPLAY = """
-- Moves a dead letter back onto its job stream, so that no failure in between can lose or double it.
-- KEYS[1] dead stream   KEYS[2] job stream
-- ARGV[1] entry id of the dead letter
-- Returns the new entry's id, or false when the dead letter is gone.
local letter = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not letter then
  return false
end
local version, payload
for i = 1, #letter[2], 2 do
  if letter[2][i] == 'v' then version = letter[2][i + 1] end
  if letter[2][i] == 'payload' then payload = letter[2][i + 1] end
end
local id = redis.call('XADD', KEYS[2], '*', 'v', version or '1', 'payload', payload)
redis.call('XDEL', KEYS[1], ARGV[1])
return id
"""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that could not be scored.

    Attributes:
        entry_id: Its entry on the dead stream.
        reason: What kind of fault it is, a `DeadReason` (or one that a newer release knows).
        field: Path of the field at fault.
        error: What was wrong, in one line; no text of the job.
        attempts: How often a worker started on it.
        stream: Short name of the job stream that it came from.
        source_entry_id: Its entry there, which is gone.
        job_id: The job's id, where it could be read.
        trace_id: The job's trace, where it could be read.
        span_id: The job's span, where it could be read.
        payload: The job's JSON as it was sent, perhaps cut; null where the entry had none.
        payload_bytes: Length of the whole payload.
        errors: What ended each of its earlier attempts, one line each: kind of error, worker, time.
    """

    entry_id: str
    reason: str
    field: str
    error: str
    attempts: int
    stream: str
    source_entry_id: str
    job_id: str | None
    trace_id: str | None
    span_id: str | None
    payload: bytes | None
    payload_bytes: int
    errors: tuple[str, ...] = ()

    @property
    def replayable(self) -> bool:
        """Whether the whole payload is there, and came from a job stream."""
        whole = self.payload is not None and len(self.payload) == self.payload_bytes
        return whole and self.stream in STREAM_NAMES.values()


class DeadLetters:
    """The dead stream.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        settings: Where the server is, for error messages.
    """

    def __init__(self, server: redis.Redis, keys: Keys, settings: ClientSettings) -> None:
        self._server = server
        self._keys = keys
        self._settings = settings
        self._replay = server.register_script(REPLAY)

    def list(self, *, reason: str | None = None, older_than_s: float = 0.0) -> Iterator[DeadLetter]:
        """Yield dead letters, oldest first.

        Args:
            reason: Only those with this reason; null: with any.
            older_than_s: Only those that became dead letters at least so many seconds ago.

        Raises:
            QueueError: The server can't be reached.
        """
        with queue_errors(self._settings):
            seconds, micros = self._server.time()
        newest = "+" if older_than_s == 0.0 else str(max(0, int((seconds + micros / 1e6 - older_than_s) * 1000)))
        after = "-"
        while True:
            with queue_errors(self._settings):
                page = read_entries(self._server.xrange(self._keys.dead, min=after, max=newest, count=PAGE))
            yield from (letter for letter in map(_read, page) if reason in (None, letter.reason))
            if len(page) < PAGE:
                return
            after = f"({page[-1][0]}"

    def show(self, entry_id: str) -> DeadLetter:
        """Return one dead letter.

        Raises:
            QueueError: There is none with this id, or the server can't be reached.
        """
        with queue_errors(self._settings):
            found = read_entries(self._server.xrange(self._keys.dead, min=entry_id, max=entry_id))
        if not found:
            raise QueueError(f"no dead letter has the id {entry_id}; `groundwire dead list` shows those that there are")
        return _read(found[0])

    def purge(self, entry_ids: Iterable[str]) -> int:
        """Remove dead letters for good.

        Args:
            entry_ids: Which ones; one that is gone does no harm.

        Returns:
            How many were removed.

        Raises:
            QueueError: The server can't be reached.
        """
        removed = 0
        left = iter(entry_ids)
        while page := [*islice(left, PURGE_PAGE)]:
            with queue_errors(self._settings):
                removed += int(self._server.xdel(self._keys.dead, *page))
        return removed

    def replay(self, entry_id: str) -> str:
        """Put a dead letter back onto the job stream that it came from, as a new entry.

        Returns:
            The new entry's id.

        Raises:
            QueueError: It is gone, its payload was cut or missing, or the server can't be reached.
        """
        letter = self.show(entry_id)
        if letter.stream not in STREAM_NAMES.values():
            raise QueueError(f"dead letter {entry_id} can't be replayed: it names no job stream; submit the job anew")
        if not letter.replayable:
            kept = "nothing" if letter.payload is None else f"{len(letter.payload):,} of {letter.payload_bytes:,} bytes"
            raise QueueError(
                f"dead letter {entry_id} can't be replayed: {kept} of its job was kept; submit the job anew"
            )
        with queue_errors(self._settings):
            moved = self._replay(keys=[self._keys.dead, self._keys.stream(letter.stream)], args=[entry_id])
        if moved is None:
            raise QueueError(f"dead letter {entry_id} is gone: somebody else replayed it or it was trimmed")
        return bytes(moved).decode()


def _read(entry: Entry) -> DeadLetter:
    entry_id, fields = entry
    text = {name: value.decode(errors="replace") for name, value in fields.items() if name != "payload"}
    return DeadLetter(
        entry_id=entry_id,
        reason=text.get("reason", ""),
        field=text.get("field", ""),
        error=text.get("error", ""),
        attempts=_count(text.get("attempts")),
        stream=text.get("stream", ""),
        source_entry_id=text.get("entry_id", ""),
        job_id=text.get("job_id"),
        trace_id=text.get("trace_id"),
        span_id=text.get("span_id"),
        payload=fields.get("payload"),
        payload_bytes=_count(text.get("payload_bytes")),
        errors=tuple(text.get("errors", "").splitlines()),
    )


def _count(value: str | None) -> int:
    """Read a number; an entry that is none of ours may hold anything, and must not hide the others."""
    return int(value) if value is not None and value.isdecimal() else 0
