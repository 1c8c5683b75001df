"""The intake: moves entries of the job streams to the workers, as ids, never as text."""

from __future__ import annotations

import logging
import signal
from itertools import count
from threading import Event
from typing import TYPE_CHECKING

import redis

from groundwire.client import GROUP, STREAM_NAMES, Keys, connect
from groundwire.client.connection import address, read_streams
from groundwire.client.keys import INTAKE
from groundwire.schemas import Priority
from groundwire.worker.heartbeat import beat
from groundwire.worker.housekeeping import Housekeeping
from groundwire.worker.queue.entries import LEASE_MS
from groundwire.worker.queue.messages import MESSAGE_ENTRIES, Message, encode
from groundwire.worker.queue.names import process_name
from groundwire.worker.queue.recovery import SENT_MS, Recovery
from groundwire.worker.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.settings import WorkerSettings

BLOCK_MS = 1_000
"""Longest wait for an entry; also the longest delay of a stop."""

FULL_WAIT_S = 0.005
"""Pause while enough jobs are on their way: a fraction of what the workers need for them."""

JOBS_PER_ENTRY = 8
"""One more entry goes into a message for so many jobs that are on their way. With idle workers each entry gets its own
message, so that they share the work; the more there is, the larger the messages, until their cost no longer matters."""

BACKFILL_TURN = 4
"""Every fourth turn also reads the backfill, so that it advances while interactive jobs keep coming."""

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0
"""Pauses between attempts to reach a server that is gone double from the first to the longest."""

logger = logging.getLogger(__name__)


class Intake:
    """Reads the job streams, sends what it read to the workers, and sends again what got lost on the way.

    Several may run at once. Sending an entry twice does no harm: the second message finds it in work or gone.

    Args:
        settings: Where the queue is and how much of it may be on its way.
        stop: Ends `run` when it is set.
        lease_ms: How long an entry stays with a worker without a sign of life before it is sent again.
        sent_ms: How long an entry may be on its way before it is looked for, and sent again if it is lost.
    """

    def __init__(self, settings: WorkerSettings, stop: Event, lease_ms: int = LEASE_MS, sent_ms: int = SENT_MS) -> None:
        self._settings = settings
        self._stop = stop
        self._server = connect(settings)
        self._keys = Keys(settings.prefix)
        self._name = INTAKE + process_name()
        self._recovery = Recovery(self._server, self._keys, self._name, lease_ms=lease_ms, sent_ms=sent_ms)
        self._sweep = Sweep(self._recovery, self._send_first, settings.max_queued_jobs)
        self._housekeeping = Housekeeping(self._server, self._keys, settings, self._name)

    def run(self) -> None:
        """Move entries until told to stop; outlive a server that goes away or refuses."""
        pause = FIRST_PAUSE_S
        while not self._stop.is_set():
            try:
                for name in self._recovery.set_aside():
                    logger.error("what was under a key of ours and is of another type is now under %s", name)
                self._create_groups()
                for turn in count():
                    if self._stop.is_set():
                        break
                    self._take_turn(turn)
                    pause = FIRST_PAUSE_S
            except redis.RedisError as error:
                where = address(self._settings)
                logger.warning("%s at %s, trying again in %.1f s: %s", type(error).__name__, where, pause, error)
                self._stop.wait(pause)
                pause = min(LONGEST_PAUSE_S, pause * 2)
        self._server.close()

    def _create_groups(self) -> None:
        for name in STREAM_NAMES.values():
            try:
                # At 0, not at $: what producers wrote before the first intake came counts too.
                self._server.xgroup_create(self._keys.stream(name), GROUP, id="0", mkstream=True)
            except redis.ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):
                    raise

    def _take_turn(self, turn: int) -> None:
        """Move what there is, interactive jobs first; wait for a while when there is nothing."""
        beat(self._settings.heartbeat_file)
        self._housekeeping.tick()
        sweeping = self._sweep.step()
        on_their_way = self._recovery.on_their_way()
        room = self._settings.max_queued_jobs - on_their_way
        size = max(1, min(MESSAGE_ENTRIES, on_their_way // JOBS_PER_ENTRY))
        if room < size:
            # What fits now would be a small message, and a message costs Celery the same whatever it carries.
            if not sweeping:
                self._stop.wait(FULL_WAIT_S)
            return
        interactive = STREAM_NAMES[Priority.INTERACTIVE]
        if turn % BACKFILL_TURN and self._move([interactive], None, room, size):
            return
        self._move(list(STREAM_NAMES.values()), None if sweeping else BLOCK_MS, room, size)

    def _move(self, names: Sequence[str], block_ms: int | None, room: int, size: int) -> bool:
        """Read and send one round; false when there was nothing."""
        streams = {self._keys.stream(name): name for name in names}
        entries = min(MESSAGE_ENTRIES, room) // size * size  # no small message out of what is left over
        reply = self._server.xreadgroup(GROUP, self._name, dict.fromkeys(streams, ">"), count=entries, block=block_ms)
        messages = []
        for key, found in read_streams(reply).items():
            ids = [entry_id for entry_id, _ in found]
            messages += [Message(streams[key], ids[start : start + size]) for start in range(0, len(ids), size)]
        if messages:
            # Workers take from the other end.
            self._server.lpush(self._keys.celery, *map(encode, messages))
        return bool(messages)

    def _send_first(self, messages: Sequence[Message]) -> None:
        self._server.rpush(self._keys.celery, *map(encode, reversed(messages)))


def run_intake(settings: WorkerSettings) -> int:
    """Run an intake until SIGTERM or SIGINT. Logging has to be set up before.

    Args:
        settings: Where the queue is and how much of it may be on its way.

    Returns:
        The exit code, 0.
    """
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    logger.info("moving jobs at %s", address(settings))
    Intake(settings, stop).run()
    return 0
