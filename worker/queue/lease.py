"""The lease of an entry in work: renewed while its worker lives, so that it runs out soon after the worker died."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.worker.queue.entries import Begun, Entries

RENEWALS_PER_LEASE = 3
"""Two renewals in a row may fail or come late before the lease runs out."""

logger = logging.getLogger(__name__)


@contextmanager
def held(entries: Entries, entry: Begun) -> Iterator[None]:
    """Renew an entry's lease from a thread, until the block ends.

    A lease that is lost all the same ends nothing here: publishing or burying the entry tells.

    Args:
        entries: The job streams; their connection is shared with the thread.
        entry: The entry, as `begin` returned it.
    """
    done = Event()
    thread = Thread(target=_renew, args=(entries, entry, done), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(entries: Entries, entry: Begun, done: Event) -> None:
    pause_s = entries.lease_ms / 1000 / RENEWALS_PER_LEASE
    while not done.wait(pause_s):
        try:
            if not entries.renew(entry):
                logger.warning("%s/%s: its lease ran out, another worker may have it", entry.stream, entry.entry_id)
                return
        except redis.RedisError as error:
            # The server may be back before the lease runs out.
            logger.warning("%s/%s: lease not renewed: %s", entry.stream, entry.entry_id, type(error).__name__)
