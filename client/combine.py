"""The combiner: joins the results of each span from the results stream, and publishes their composites."""

from __future__ import annotations

import logging
import os
import socket
import time
from typing import TYPE_CHECKING

import redis
from pydantic import ValidationError

from groundwire.client.combine_step import CombineSteps
from groundwire.client.connection import Entry, address, as_text, queue_errors, read_entries, read_streams
from groundwire.client.keys import COMBINE_GROUP
from groundwire.client.session import Session
from groundwire.client.span_join import Part

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from threading import Event

    from groundwire.client.combine_settings import CombineSettings
    from groundwire.schemas import Combined

PAGE = 100
"""Results, and deadlines, per round trip: at the size cap of 1 MiB each still a reply that fits into memory."""

BLOCK_MS = 1_000
"""Longest wait for a result; also the longest delay of a stop, and of a deadline that another process has set."""

CLAIM_IDLE_MS = 60_000
"""Time after which a result that was read and not joined counts as a dead process's: joining takes milliseconds."""

CLAIM_TURN_S = 30.0
"""Pause between two looks for such results."""

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
"""Pauses between attempts to reach a server that is gone double from the first to the longest."""

logger = logging.getLogger(__name__)


class Combiner(Session):
    """Reads results through a consumer group of its own. Several may run at once, and each may be killed at any time.

    Args:
        settings: Where the queue is, the weights, and how long to wait.
        name: Consumer name; null: host and process id. A restarted process with its old name goes on at once with what
            it had read, another one after a while.
        claim_idle_ms: Milliseconds after which a result that another one has read counts as given up.

    Attributes:
        unreadable: Entries of the results stream that were no results and so were passed over.
    """

    def __init__(self, settings: CombineSettings, name: str | None = None, claim_idle_ms: int = CLAIM_IDLE_MS) -> None:
        super().__init__(settings)
        self._name = f"{socket.gethostname()}:{os.getpid()}" if name is None else name
        self._claim_idle_ms = claim_idle_ms
        self._steps = CombineSteps(self._server, self._keys, settings)
        self.unreadable = 0

    def run_once(self) -> Iterator[Combined]:
        """Join the results that there are, publish what is complete or due, and end; yields what was published.

        Raises:
            QueueError: The server can't be reached, or refused.
        """
        with queue_errors(self._settings):
            self._create_group()
            yield from self._join_own()
            yield from self._join_abandoned()
            while results := self._read(">", None):
                yield from self._join(results)
            yield from self._publish_due()

    def run(self, stop: Event) -> Iterator[Combined]:
        """Join results until told to stop; outlive a server that goes away or refuses. Yields what was published.

        Args:
            stop: Ends it when it is set, within about a second.
        """
        pause = FIRST_PAUSE_S
        while not stop.is_set():
            try:
                self._create_group()
                yield from self._join_own()
                pause = FIRST_PAUSE_S
                yield from self._follow(stop)
            except redis.RedisError as error:
                where = address(self._settings)
                logger.warning("%s at %s, trying again in %.1f s: %s", type(error).__name__, where, pause, error)
                stop.wait(pause)
                pause = min(LONGEST_PAUSE_S, pause * 2)

    def _create_group(self) -> None:
        try:
            # At 0, not at $: results from before the first combiner count too.
            self._server.xgroup_create(self._keys.results, COMBINE_GROUP, id="0", mkstream=True)
        except redis.ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise

    def _follow(self, stop: Event) -> Iterator[Combined]:
        next_claim = time.monotonic()
        while not stop.is_set():
            if time.monotonic() >= next_claim:
                yield from self._join_abandoned()
                next_claim = time.monotonic() + CLAIM_TURN_S
            next_due_ms = yield from self._publish_due()
            yield from self._join(self._read(">", min(next_due_ms, BLOCK_MS)))

    def _read(self, after: str, block_ms: int | None) -> Sequence[Entry]:
        """New results (`>`), or those that this consumer has read before and not acknowledged."""
        reply = self._server.xreadgroup(
            COMBINE_GROUP, self._name, {self._keys.results: after}, count=PAGE, block=block_ms
        )
        return read_streams(reply).get(self._keys.results, [])

    def _join_own(self) -> Iterator[Combined]:
        """Join what a process of this name had read when it ended."""
        after = "0"
        while results := self._read(after, None):
            yield from self._join(results)
            after = results[-1][0]

    def _join_abandoned(self) -> Iterator[Combined]:
        """Join what processes had read that are gone."""
        after = "0-0"
        while True:
            reply = self._server.xautoclaim(
                self._keys.results, COMBINE_GROUP, self._name, self._claim_idle_ms, start_id=after, count=PAGE
            )
            # Redis before 7 lists an entry that is no longer on the stream too, without its id.
            yield from self._join(read_entries(entry for entry in reply[1] if entry[0] is not None))
            after = as_text(reply[0])
            if after == "0-0":
                return

    def _join(self, results: Sequence[Entry]) -> Iterator[Combined]:
        for entry_id, fields in results:
            try:
                part = Part.model_validate_json(fields.get("payload", b""))
            except ValidationError as error:
                self._pass_over(entry_id, error)
                continue
            combined = self._steps.add(entry_id, part)
            if combined is not None:
                yield combined

    def _pass_over(self, entry_id: str, error: ValidationError) -> None:
        """Be done with an entry that no later attempt would read either."""
        kind = error.errors(include_url=False, include_context=False, include_input=False)[0]["type"]
        if self._server.xack(self._keys.results, COMBINE_GROUP, entry_id):
            self.unreadable += 1
            logger.warning("entry %s of the results stream is no result, passed over: %s", entry_id, kind)

    def _publish_due(self) -> Generator[Combined, None, int]:
        """Publish the spans that have waited long enough; returns the milliseconds until the next one, at least 1."""
        while True:
            with self._server.pipeline(transaction=False) as pipeline:
                pipeline.time()
                pipeline.zrange(self._keys.deadlines, 0, PAGE - 1, withscores=True)
                (seconds, micros), waiting = pipeline.execute()
            now_ms = seconds * 1000 + micros // 1000
            due = [as_text(key) for key, at_ms in waiting if at_ms <= now_ms]
            for key in due:
                combined = self._steps.publish_due(key)
                if combined is not None:
                    yield combined
            if len(due) < PAGE:
                left_ms = [int(at_ms - now_ms) for _, at_ms in waiting if at_ms > now_ms]
                return min(left_ms, default=BLOCK_MS)
