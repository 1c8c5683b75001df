"""The job streams as an intake sees them: how much is on its way, and what got lost there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.client import GROUP, STREAM_NAMES
from groundwire.client.connection import as_text
from groundwire.client.keys import HELD, INTAKE, RETRY
from groundwire.schemas import InvalidJobError
from groundwire.schemas.clock import utc_now
from groundwire.worker.queue.entries import LEASE_MS
from groundwire.worker.queue.messages import QUEUE, decode
from groundwire.worker.queue.scripts import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import redis

    from groundwire.client import Keys

PAGE = 512
"""Pending entries per round trip."""

SENT_MS = 5_000
"""How long an entry may be on its way before it is looked for on Celery's list."""

LISTED = 4_096
"""Messages of Celery's list that are read at most, far more than an intake puts there."""

FORGET_MS = 600_000
"""How long a consumer that has nothing stays in the group; one that lives on is added again by itself."""

TYPES = {
    **dict.fromkeys((*STREAM_NAMES.values(), "results", "dead", "scored"), "stream"),
    **dict.fromkeys(("attempts", "errors"), "hash"),
    "housekeeping:trims": "hash",
    "housekeeping:published": "list",
    "alive": "zset",
    "dropped": "string",
    QUEUE: "list",
    f"_kombu.binding.{QUEUE}": "set",
}
"""Our keys behind the prefix, and what they are."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An entry that is not done with.

    Attributes:
        entry_id: The entry's id.
        consumer: Who has it.
        idle_ms: Milliseconds since its last sign of life.
    """

    entry_id: str
    consumer: str
    idle_ms: int


class Recovery:
    """Finds what got lost and takes it over.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        consumer: The intake's consumer name.
        lease_ms: How long an entry stays with a worker that does not renew its lease.
        sent_ms: How long an entry may be on its way before it is looked for.
    """

    def __init__(
        self,
        server: redis.Redis,
        keys: Keys,
        consumer: str,
        lease_ms: int = LEASE_MS,
        sent_ms: int = SENT_MS,
    ) -> None:
        self._server = server
        self._keys = keys
        self._consumer = consumer
        self._lease_ms = lease_ms
        self._sent_ms = sent_ms
        self._reclaim = load(server, "reclaim")
        self._tidy = load(server, "tidy")

    def on_their_way(self) -> int:
        """Count the jobs that an intake has read and no worker has taken yet."""
        with self._server.pipeline(transaction=False) as pipeline:
            for name in STREAM_NAMES.values():
                pipeline.xpending(self._keys.stream(name), GROUP)
            replies = pipeline.execute()
        return sum(
            int(consumer["pending"])
            for reply in replies
            for consumer in reply["consumers"]
            if as_text(consumer["name"]).startswith(INTAKE)
        )

    def page(self, stream: str, after: str) -> Sequence[Pending]:
        """Return up to `PAGE` entries of a stream that are not done with, in the order of their ids.

        Args:
            stream: Short name of the stream.
            after: Id of the entry behind which to begin; `0-0` is before all.
        """
        found = self._server.xpending_range(self._keys.stream(stream), GROUP, min=f"({after}", max="+", count=PAGE)
        return [
            Pending(as_text(one["message_id"]), as_text(one["consumer"]), int(one["time_since_delivered"]))
            for one in found
        ]

    def patience_ms(self, consumer: str) -> int:
        """How long an entry may be without a sign of life, by who has it."""
        if consumer.startswith(RETRY):
            delay = consumer.removeprefix(RETRY)
            return int(delay) if delay.isdecimal() else 0
        return self._sent_ms if consumer.startswith(INTAKE) else self._lease_ms

    def listed(self) -> frozenset[tuple[str, str]] | None:
        """Streams and ids of the entries on Celery's list; null when it is too long to be read."""
        items = self._server.lrange(self._keys.celery, 0, LISTED)
        if len(items) > LISTED:
            return None
        return frozenset(entry for item in items for entry in _entries_of(item))

    def reclaim(self, stream: str, entries: Iterable[Pending]) -> frozenset[str]:
        """Take over entries, unless a sign of life came meanwhile; returns the ids of those that were taken.

        Args:
            stream: Short name of the stream.
            entries: Entries that were without a sign of life for too long.
        """
        found = [part for one in entries for part in (one.entry_id, one.consumer, self.patience_ms(one.consumer))]
        keys = [self._keys.stream(stream), self._keys.attempts, self._keys.errors]
        taken = self._reclaim(keys=keys, args=[GROUP, self._consumer, stream, utc_now(), *found])
        return frozenset(as_text(entry_id) for entry_id in taken)

    def forget_consumers(self, idle_ms: int = FORGET_MS) -> int:
        """Drop consumers that have nothing and were not heard of for so long; returns how many."""
        return sum(
            int(self._tidy(keys=[self._keys.stream(name)], args=[GROUP, idle_ms])) for name in STREAM_NAMES.values()
        )

    def set_aside(self) -> Sequence[str]:
        """Rename keys of ours that somebody has put something of another type under; returns their new names.

        Nothing would go on with them, and what they hold may matter to somebody.
        """
        with self._server.pipeline(transaction=False) as pipeline:
            for name in TYPES:
                pipeline.type(self._keys.prefix + name)
            found = pipeline.execute()
        renamed = []
        for (name, expected), actual in zip(TYPES.items(), found, strict=True):
            if as_text(actual) not in (expected, "none"):
                aside = f"{self._keys.prefix}{name}:aside:{utc_now()}"
                self._server.rename(self._keys.prefix + name, aside)
                renamed.append(aside)
        return renamed


def is_alone(consumer: str) -> bool:
    """Whether an entry that this consumer had is sent in a message of its own: it may be what ended its worker."""
    return not consumer.startswith((INTAKE, HELD))


def _entries_of(item: bytes | str) -> Iterable[tuple[str, str]]:
    try:
        message = decode(item if isinstance(item, bytes) else item.encode())
    except InvalidJobError:
        return ()  # a worker will quarantine it
    return ((message.stream, entry_id) for entry_id in message.entry_ids)
