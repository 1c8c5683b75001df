"""The intake's second task: to find entries that got lost on their way or whose worker is gone, and send them again."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from groundwire.client import STREAM_NAMES
from groundwire.client.keys import INTAKE
from groundwire.worker.queue.messages import MESSAGE_ENTRIES, Message
from groundwire.worker.queue.names import RELEASED
from groundwire.worker.queue.recovery import PAGE, Pending, Recovery, is_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SWEEP_S = 1.0
"""Pause between two walks over what is not done with."""

FULL_S = 0.05
"""Pause before another look at a page whose lost entries do not all fit onto Celery's list."""

TIDY_S = 5.0
"""Pause between two looks at consumers and types of keys."""

FIRST = "0-0"

logger = logging.getLogger(__name__)


class Sweep:
    """Walks over all entries that are not done with, a page at each step, so that a step's cost has a bound.

    Args:
        recovery: The job streams.
        send: Sends messages to the workers, before all others.
        max_queued_jobs: Jobs that Celery's list may hold; an entry that a worker lost is sent all the same.
    """

    def __init__(self, recovery: Recovery, send: Callable[[Sequence[Message]], None], max_queued_jobs: int) -> None:
        self._recovery = recovery
        self._send = send
        self._max_queued_jobs = max_queued_jobs
        self._names = list(STREAM_NAMES.values())
        self._place = (0, FIRST)
        self._due = 0.0
        self._tidy_due = 0.0

    def step(self) -> bool:
        """Look at the next page if it is time; true while the walk has not come to its end."""
        now = time.monotonic()
        if now >= self._tidy_due:
            self._tidy_due = now + TIDY_S
            self._tidy()
        if now < self._due:
            return False
        stream, after = self._place
        page = self._recovery.page(self._names[stream], after)
        if not self._look_at(self._names[stream], page):
            self._due = now + FULL_S
        elif len(page) == PAGE:
            self._place = (stream, page[-1].entry_id)
            return True
        elif stream + 1 < len(self._names):
            self._place = (stream + 1, FIRST)
            return True
        else:
            self._place = (0, FIRST)
            self._due = now + SWEEP_S
        return False

    def _look_at(self, name: str, page: Sequence[Pending]) -> bool:
        """Send again what got lost; false when some of it has to wait, for the list is full."""
        lost = [one for one in page if one.idle_ms >= self._recovery.patience_ms(one.consumer)]
        waiting = [one for one in lost if one.consumer.startswith(INTAKE) and one.consumer != RELEASED]
        complete = True
        if waiting:
            missing, room = self._missing(name, waiting)
            complete = len(missing) <= room
            stay = {one.entry_id for one in waiting} - {one.entry_id for one in missing[:room]}
            lost = [one for one in lost if one.entry_id not in stay]
        if lost:
            taken = self._recovery.reclaim(name, lost)
            self._send_again(name, [one for one in lost if one.entry_id in taken])
        return complete

    def _missing(self, name: str, waiting: Sequence[Pending]) -> tuple[Sequence[Pending], int]:
        """Those that are on no message of Celery's list, and how many more the list may hold."""
        entries = self._recovery.listed()
        if entries is None:
            return (), 0
        missing = [one for one in waiting if (name, one.entry_id) not in entries]
        return missing, max(0, self._max_queued_jobs - len(entries))

    def _send_again(self, name: str, lost: Sequence[Pending]) -> None:
        alone = [one.entry_id for one in lost if is_alone(one.consumer)]
        together = [one.entry_id for one in lost if not is_alone(one.consumer)]
        messages = [Message(name, [entry_id]) for entry_id in alone]
        messages += [
            Message(name, together[start : start + MESSAGE_ENTRIES])
            for start in range(0, len(together), MESSAGE_ENTRIES)
        ]
        if messages:
            logger.info("%s: sending %d entries again, %d of them alone", name, len(lost), len(alone))
            self._send(messages)

    def _tidy(self) -> None:
        for name in self._recovery.set_aside():
            logger.error("what was under a key of ours and is of another type is now under %s", name)
        gone = self._recovery.forget_consumers()
        if gone:
            logger.info("forgot %d consumers that were not heard of any more", gone)
