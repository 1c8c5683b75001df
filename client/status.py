"""The state of the queue, from a handful of commands whose cost does not grow with the backlog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import redis

from groundwire.client.connection import as_text, queue_errors
from groundwire.client.keys import GROUP, INTAKE, RETRY, STREAM_NAMES, WORKER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.client.keys import Keys
    from groundwire.client.settings import ClientSettings

ALIVE_MS = 30_000
"""An intake or worker counts as running for so long after its last sign of life; it gives one at least every 10 s."""

SAMPLES = 30
"""Counts of published results that are kept: five minutes of them, one every 10 s."""

RATE_MS = 60_000
"""The rate is that of the last minute."""

RATE_SHORTEST_MS = 1_000
"""A younger count would make one result a rate of thousands."""

RATE_LONGEST_MS = 180_000
"""An older count says nothing of the last minute: no intake was there to take newer ones."""


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """One job stream.

    Attributes:
        backlog: Jobs without a result, those in work included.
        in_work: Those of them that a worker has.
        sent: Those of them that are on their way to a worker, or that one holds and has not begun with.
        backed_off: Those of them that wait for another attempt, after one that failed.
        oldest_age_s: Seconds since the oldest of them was submitted; null when there is none.
    """

    backlog: int
    in_work: int
    sent: int
    backed_off: int
    oldest_age_s: float | None


@dataclass(frozen=True, slots=True)
class GroupStatus:
    """A consumer group on the results stream.

    Attributes:
        pending: Results that its consumers have read and not acknowledged.
        lag: Results that it has not read; null where the server can't tell (Redis 6.2, or after deletions).
        cut: Results that the cap removed before it acknowledged them, ever since.
    """

    pending: int
    lag: int | None
    cut: int


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """The state of the queue at one moment.

    Attributes:
        streams: The job streams by their short names.
        workers: Worker processes with a sign of life in the last 30 s.
        intakes: Intakes likewise.
        results: Results on the stream.
        results_per_minute: Results of the last minute; null while no intake has counted for some seconds.
        groups: The consumer groups on the results stream by their names.
        dead: Dead letters.
        dropped: Jobs that producers dropped as their stream was full, ever since.
        cut: Results that the cap removed, ever since.
    """

    streams: Mapping[str, StreamStatus]
    workers: int
    intakes: int
    results: int
    results_per_minute: float | None
    groups: Mapping[str, GroupStatus]
    dead: int
    dropped: int
    cut: int

    @property
    def backlog(self) -> int:
        """Jobs without a result on all streams."""
        return sum(stream.backlog for stream in self.streams.values())

    @property
    def oldest_age_s(self) -> float | None:
        """Seconds since the oldest job without a result was submitted; null when there is none."""
        return max((s.oldest_age_s for s in self.streams.values() if s.oldest_age_s is not None), default=None)


def read_status(server: redis.Redis, keys: Keys, settings: ClientSettings) -> QueueStatus:
    """Ask the server for the state of the queue, in two round trips.

    Raises:
        QueueError: The server can't be reached, or refused.
    """
    with queue_errors(settings):
        seconds, micros = server.time()
        now_ms = seconds * 1000 + micros // 1000
        with server.pipeline(transaction=False) as pipeline:
            for name in STREAM_NAMES.values():
                pipeline.xlen(keys.stream(name))
                pipeline.xpending(keys.stream(name), GROUP)
                pipeline.xrange(keys.stream(name), count=1)
            pipeline.zrangebyscore(keys.alive, now_ms - ALIVE_MS, "+inf")
            pipeline.xlen(keys.results)
            pipeline.xinfo_groups(keys.results)
            pipeline.hgetall(keys.trims)
            pipeline.lrange(keys.published, 0, -1)
            pipeline.xlen(keys.dead)
            pipeline.get(keys.dropped)
            replies = [_known(reply) for reply in pipeline.execute(raise_on_error=False)]
    per_stream = 3
    streams = {
        name: _stream(replies[per_stream * n : per_stream * (n + 1)], now_ms)
        for n, name in enumerate(STREAM_NAMES.values())
    }
    alive, results, groups, trims, published, dead, dropped = replies[per_stream * len(streams) :]
    names = [as_text(name) for name in alive]
    trims = {as_text(name): _number(number) for name, number in trims.items()}
    return QueueStatus(
        streams=streams,
        workers=sum(name.startswith(WORKER) for name in names),
        intakes=sum(name.startswith(INTAKE) for name in names),
        results=results,
        results_per_minute=_rate(published, results + trims.get("trimmed", 0), now_ms),
        groups={as_text(group["name"]): _group(group, trims) for group in groups or ()},
        dead=dead,
        dropped=_number(dropped or b"0"),
        cut=trims.get("cut", 0),
    )


def _known(reply: Any) -> Any:  # noqa: ANN401 - the replies of a pipeline are of any type
    """A reply; null where there is no such stream or group yet.

    Raises:
        redis.RedisError: The server refused for another reason.
    """
    if isinstance(reply, redis.ResponseError) and str(reply).startswith(("NOGROUP", "no such key")):
        return None
    if isinstance(reply, Exception):
        raise reply
    return reply


def _stream(replies: Sequence[Any], now_ms: int) -> StreamStatus:
    backlog, pending, first = replies
    holders = [] if pending is None else [(as_text(c["name"]), int(c["pending"])) for c in pending["consumers"]]
    in_work = sum(number for name, number in holders if name.startswith(WORKER))
    backed_off = sum(number for name, number in holders if name.startswith(RETRY))
    oldest = max(0, now_ms - int(as_text(first[0][0]).partition("-")[0])) / 1000 if first else None
    sent = sum(number for _, number in holders) - in_work - backed_off
    return StreamStatus(backlog, in_work, sent, backed_off, oldest)


def _group(info: Mapping[str, Any], trims: Mapping[str, int]) -> GroupStatus:
    lag = info.get("lag")
    cut = trims.get(f"cut:{as_text(info['name'])}", 0)
    return GroupStatus(int(info["pending"]), None if lag is None else int(lag), cut)


def _number(value: bytes) -> int:
    """Read a number; what somebody else wrote in its place counts as 0, and must not hide the rest of the state."""
    return int(value) if value.isdigit() else 0


def _pair(entry: bytes) -> tuple[int, int]:
    first, _, second = entry.partition(b" ")
    return _number(first), _number(second)


def _rate(published: Sequence[bytes], now_total: int, now_ms: int) -> float | None:
    """Results of the last minute, by the youngest count that is a minute old, or the oldest there is."""
    counts = [(now_ms - taken_ms, total) for taken_ms, total in map(_pair, published)]
    usable = [(age_ms, total) for age_ms, total in counts if RATE_SHORTEST_MS <= age_ms <= RATE_LONGEST_MS]
    if not usable:
        return None
    age_ms, total = next((count for count in usable if count[0] >= RATE_MS), usable[-1])
    return round(max(0, now_total - total) * RATE_MS / age_ms, 1)
