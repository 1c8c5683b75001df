"""The leases of a scoring process: one thread renews them, watches the clock, and hands back when the worker stops."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Thread
from typing import TYPE_CHECKING

import redis

from groundwire.worker.queue.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundwire.worker.queue.entries import Begun, Entries

RENEW_S = 2.0
"""Seconds between two renewals: three go into a lease."""

TICK_S = 0.2
"""How often the thread looks at the clock. It is not woken for a message: most are done before it would have to act."""

STUCK_MARGIN_S = 5.0
"""Time beyond a job's limit in which this thread ends the process. Code that never lets go of the interpreter keeps the
thread from it; then a timer does that needs no interpreter, and that this thread sets anew as long as it runs."""

EXIT_TIMED_OUT = 75
"""Exit status of a process whose job exceeded its limit: EX_TEMPFAIL, told apart from a crash in Celery's log."""

STDERR = 2

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _InWork:
    entry: Begun
    since: float
    on_timeout: Callable[[], None]


class Leases:
    """What this process holds and has in work. Its thread lives as long as the process.

    Args:
        entries: The job streams; their connection is shared with the thread.
        job_timeout_s: Seconds that one job may take; then the process ends.
        hand_back_at: Returns the `time.monotonic()` at which all has to be handed back, or 0.0 until the worker stops.
        alive: Called with every sign of life: now and then while a job is in work within its limit.
    """

    def __init__(
        self,
        entries: Entries,
        job_timeout_s: float,
        hand_back_at: Callable[[], float] = lambda: 0.0,
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        self._entries = entries
        self._job_timeout_s = job_timeout_s
        self._hand_back_at = hand_back_at
        self._alive = alive
        self._lock = Lock()
        self._stream = ""
        self._ids: list[str] = []
        self._in_work: _InWork | None = None
        self._renewed = 0.0
        self._armed = 0.0
        Thread(target=self._run, name="leases", daemon=True).start()

    @contextmanager
    def message(self, stream: str, entry_ids: Sequence[str]) -> Iterator[None]:
        """Hold the entries of a message until the block ends; those that nobody called `done` for are handed back then.

        Args:
            stream: Short name of the job stream.
            entry_ids: Ids of its entries.

        Raises:
            redis.RedisError: The server went away or refused.
        """
        if len(entry_ids) > 1:
            patiently(lambda: self._entries.hold(stream, entry_ids), self._stopping)
        with self._lock:
            self._stream, self._ids, self._renewed = stream, list(entry_ids), time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                left, self._ids = self._ids, []
            if left:
                patiently(lambda: self._entries.release(stream, left), self._stopping)

    @contextmanager
    def work(self, entry: Begun, on_timeout: Callable[[], None]) -> Iterator[None]:
        """Watch the clock while a job is in work.

        Args:
            entry: The entry, as `begin` returned it.
            on_timeout: Says what is to be said of the job when it exceeds its limit, before the process ends.
        """
        with self._lock:
            self._in_work, self._stream = _InWork(entry, time.monotonic(), on_timeout), entry.stream
            if entry.entry_id not in self._ids:  # a renewal came before it was begun with, and took it for lost
                self._ids.append(entry.entry_id)
        try:
            yield
        finally:
            with self._lock:
                self._in_work = None

    def done(self, entry_id: str) -> None:
        """Let go of an entry that is published, buried, backed off or somebody else's."""
        with self._lock:
            if entry_id in self._ids:
                self._ids.remove(entry_id)
        self._alive()

    def _stopping(self) -> bool:
        return self._hand_back_at() > 0.0

    def _run(self) -> None:
        while True:
            now = time.monotonic()
            if now - self._armed >= RENEW_S:
                self._armed = now
                faulthandler.dump_traceback_later(self._job_timeout_s + STUCK_MARGIN_S, exit=True, file=STDERR)
            with self._lock:
                stream, ids, in_work = self._stream, list(self._ids), self._in_work
            if ids:
                self._look_after(stream, ids, in_work, now)
            time.sleep(TICK_S)

    def _look_after(self, stream: str, ids: list[str], in_work: _InWork | None, now: float) -> None:
        try:
            if in_work is not None and now - in_work.since >= self._job_timeout_s:
                self._end(in_work, ids)
            self._alive()
            if 0.0 < self._hand_back_at() <= now:
                self._hand_back(stream, ids)
            elif now - self._renewed >= RENEW_S:
                self._renewed = now
                self._renew(stream, ids)
        except redis.RedisError as error:
            # The server may be back before the leases run out.
            logger.warning("%s: %d leases not renewed: %s", stream, len(ids), type(error).__name__)

    def _renew(self, stream: str, ids: list[str]) -> None:
        lost = self._entries.renew(stream, ids)
        with self._lock:
            kept = [entry_id for entry_id in lost if entry_id in self._ids]
            # One that is begun with a moment later, or was published a moment ago, is not lost: its scripts tell.
            self._ids = [entry_id for entry_id in self._ids if entry_id not in lost]
        for entry_id in kept:
            logger.warning("%s/%s: its lease ran out, another worker may have it", stream, entry_id)

    def _hand_back(self, stream: str, ids: list[str]) -> None:
        with self._lock:
            self._ids = []
        released = self._entries.release(stream, ids)
        logger.warning("%s: handed back %d entries, the worker stops", stream, released)

    def _end(self, in_work: _InWork, ids: list[str]) -> None:
        """End the process: nothing else stops a model that computes."""
        entry = in_work.entry
        logger.error("%s/%s: not done after %g s, its process ends", entry.stream, entry.entry_id, self._job_timeout_s)
        try:
            in_work.on_timeout()
            self._entries.release(entry.stream, [entry_id for entry_id in ids if entry_id != entry.entry_id])
        except redis.RedisError as error:
            # It stays in work until its lease runs out, and counts as an attempt of a worker that stood still.
            logger.warning("%s/%s: not buried: %s", entry.stream, entry.entry_id, type(error).__name__)
        finally:
            sys.stderr.flush()
            os._exit(EXIT_TIMED_OUT)
