"""The intake: moves entries of the job streams to the workers, as ids, never as text."""

from __future__ import annotations

import logging
import signal
import time
from itertools import count
from threading import Event
from typing import TYPE_CHECKING

import redis
from kombu.exceptions import OperationalError

from groundwire.client import GROUP, STREAM_NAMES, Keys, connect
from groundwire.client.connection import address, as_text, read_streams
from groundwire.schemas import Priority
from groundwire.worker.broker import build_app, send
from groundwire.worker.heartbeat import beat
from groundwire.worker.queue.entries import LEASE_MS
from groundwire.worker.queue.names import INTAKE, WORKER, intake_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.worker.settings import WorkerSettings

MESSAGE_ENTRIES = 16
"""Entries of a message at most: enough to make Celery's own cost per message small, few enough to share work out."""

BLOCK_MS = 1_000
"""Longest wait for an entry; also the longest delay of a stop."""

FULL_WAIT_S = 0.01
"""Pause while enough messages wait for a worker: a fraction of what the workers need for them."""

BACKFILL_TURN = 4
"""Every fourth turn also reads the backfill, so that it advances while interactive jobs keep coming."""

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
"""Pauses between attempts to reach a server that is gone double from the first to the longest."""

PAGE = 512
"""Pending entries per round trip."""

logger = logging.getLogger(__name__)


class Intake:
    """Reads the job streams, sends what it read to the workers, and sends again what got lost on the way.

    Sending an entry twice does no harm: the second message finds it in work or gone.

    Args:
        settings: Where the queue is and how much of it may wait for a worker.
        stop: Ends `run` when it is set.
        lease_ms: How long an entry may go without a sign of life before it is sent again. It is looked for as often,
            so that it is sent again after one to two leases.
    """

    def __init__(self, settings: WorkerSettings, stop: Event, lease_ms: int = LEASE_MS) -> None:
        self._settings = settings
        self._stop = stop
        self._lease_ms = lease_ms
        self._server = connect(settings)
        self._app = build_app(settings)
        self._keys = Keys(settings.prefix)
        self._name = intake_name()

    def run(self) -> None:
        """Move entries until told to stop; outlive a server that goes away or refuses."""
        pause = FIRST_PAUSE_S
        while not self._stop.is_set():
            try:
                self._create_groups()
                # An intake that died, or this one before its connection broke, may have read what it never sent.
                self._send_again(sent_before_ms=0)
                pause = FIRST_PAUSE_S
                self._move()
            except (redis.RedisError, OperationalError) as error:
                where = address(self._settings)
                logger.warning("%s at %s, trying again in %.1f s: %s", type(error).__name__, where, pause, error)
                self._stop.wait(pause)
                pause = min(LONGEST_PAUSE_S, pause * 2)
        self._app.close()
        self._server.close()

    def _create_groups(self) -> None:
        for name in STREAM_NAMES.values():
            try:
                # At 0, not at $: what producers wrote before the first intake came counts too.
                self._server.xgroup_create(self._keys.stream(name), GROUP, id="0", mkstream=True)
            except redis.ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):
                    raise

    def _move(self) -> None:
        recovered = time.monotonic()
        for turn in count():
            if self._stop.is_set():
                return
            beat(self._settings.heartbeat_file)
            # Under load an entry may merely wait with its message; the second message then finds it done.
            if (time.monotonic() - recovered) * 1000 >= self._lease_ms:
                self._send_again(sent_before_ms=self._lease_ms)
                recovered = time.monotonic()
            waiting = self._server.llen(self._keys.celery)
            if waiting >= self._settings.max_queued_messages:
                self._stop.wait(FULL_WAIT_S)
                continue
            self._take_turn(turn, waiting)

    def _take_turn(self, turn: int, waiting: int) -> None:
        """Move what there is, interactive jobs first; wait for a while when there is nothing."""
        # With idle workers each entry gets its own message, so that they share the work; the longer the queue, the
        # larger its messages, up to the point where their cost no longer matters.
        entries = max(1, min(MESSAGE_ENTRIES, waiting))
        interactive = STREAM_NAMES[Priority.INTERACTIVE]
        if turn % BACKFILL_TURN and self._read([interactive], None, entries):
            return
        self._read(list(STREAM_NAMES.values()), BLOCK_MS, entries)

    def _read(self, names: Sequence[str], block_ms: int | None, entries: int) -> bool:
        """Read and send one round; false when there was nothing."""
        streams = {self._keys.stream(name): name for name in names}
        reply = self._server.xreadgroup(
            GROUP, self._name, dict.fromkeys(streams, ">"), count=MESSAGE_ENTRIES, block=block_ms
        )
        read = read_streams(reply)
        for key, found in read.items():
            self._send(streams[key], [entry_id for entry_id, _ in found], entries)
        return bool(read)

    def _send(self, name: str, entry_ids: Sequence[str], entries: int) -> None:
        for start in range(0, len(entry_ids), entries):
            send(self._app, name, entry_ids[start : start + entries])

    def _send_again(self, sent_before_ms: int) -> None:
        """Send what an intake has held for so long, and what a worker has held beyond its lease."""
        for name in STREAM_NAMES.values():
            lost = [
                entry_id
                for entry_id, holder, idle_ms in self._pending(name)
                if (holder.startswith(INTAKE) and idle_ms >= sent_before_ms)
                or (holder.startswith(WORKER) and idle_ms >= self._lease_ms)
            ]
            if lost:
                logger.info(
                    "%s: sending %d entries again that never reached a worker or outlived theirs", name, len(lost)
                )
            self._send(name, lost, MESSAGE_ENTRIES)

    def _pending(self, name: str) -> Iterator[tuple[str, str, int]]:
        """Yield id, holder and milliseconds since the last claim of every entry that is not done with."""
        after = "-"
        while True:
            page = self._server.xpending_range(self._keys.stream(name), GROUP, min=after, max="+", count=PAGE)
            for entry in page:
                entry_id = as_text(entry["message_id"])
                yield entry_id, as_text(entry["consumer"]), int(entry["time_since_delivered"])
                after = f"({entry_id}"
            if len(page) < PAGE:
                return


def run_intake(settings: WorkerSettings) -> int:
    """Run an intake until SIGTERM or SIGINT. Logging has to be set up before.

    Args:
        settings: Where the queue is and how much of it may wait for a worker.

    Returns:
        The exit code, 0.
    """
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    logger.info("moving jobs at %s", address(settings))
    Intake(settings, stop).run()
    return 0
