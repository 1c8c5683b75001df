"""Housekeeping: the results stream stays bounded, and nobody loses unread results without being told."""

from __future__ import annotations

import logging
import time
from collections import Counter
from importlib.resources import files
from typing import TYPE_CHECKING

import redis

from groundwire.client.connection import as_text
from groundwire.client.status import ALIVE_MS, SAMPLES
from groundwire.worker.presence import Presence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.client import Keys
    from groundwire.worker.settings import WorkerSettings

INTERVAL_S = 10.0
"""Seconds between two turns; the results stream may exceed its cap by what is published in that time."""

BATCH = 100
"""Results that the cap removes in one call while a group has not read them: the script looks at each of them, and holds
the server up for a millisecond or so."""

FORGET = 10
"""A process that gave no sign of life for so many times `ALIVE_MS` is forgotten; until then it does not count."""

logger = logging.getLogger(__name__)


class Housekeeping:
    """Trims the results stream below what every registered consumer group has acknowledged, and above a hard cap.

    Each intake calls `tick` in its loop; of several, one does the work.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        settings: How many results are kept, and for how long.
        name: The intake's name, `intake:` first.
        interval_s: Seconds between two turns.
    """

    def __init__(
        self, server: redis.Redis, keys: Keys, settings: WorkerSettings, name: str, interval_s: float = INTERVAL_S
    ) -> None:
        self._presence = Presence(server, keys, name)
        self._keys = [keys.results, keys.turn, keys.trims, keys.published, keys.alive]
        self._settings = settings
        self._interval_s = interval_s
        self._next = time.monotonic()
        source = files(f"{__package__}.queue").joinpath("housekeep.lua").read_text(encoding="utf-8")
        self._script = server.register_script(source)

    def tick(self) -> None:
        """Do what is due, if it is time; cheap otherwise.

        What the server refuses is logged and tried again at the next turn: moving jobs matters more.

        Raises:
            redis.RedisError: The server went away, or a key of ours holds something of another type.
        """
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._interval_s
        try:
            self._presence.sign()
            self._trim_all()
        except redis.ResponseError as error:
            if "WRONGTYPE" in str(error):
                raise  # the intake sets such keys aside
            # A server's refusal, such as "OOM command not allowed"; it quotes no values.
            logger.warning("no housekeeping, as the server refuses it: %s", error)

    def _trim_all(self) -> None:
        turn_ms = max(1, int(self._interval_s * 1000))
        cut = 0
        unread: Counter[str] = Counter()
        while (reply := self._trim(turn_ms)) is not None:
            _, cut_now, more, *unread_now = reply
            cut += int(cut_now)
            for group, number in zip(unread_now[::2], unread_now[1::2], strict=True):
                unread[as_text(group)] += int(number)
            if not more:
                break
            turn_ms = 0
        self._tell(cut, unread)

    def _tell(self, cut: int, unread: Mapping[str, int]) -> None:
        bound = f"as the stream keeps {self._settings.keep_results} at most (GROUNDWIRE_KEEP_RESULTS)"
        if cut and not unread:
            logger.info("results: %d were cut, %s", cut, bound)
        for group, number in unread.items():
            logger.warning(
                "results: group %r had not acknowledged %d of %d that were cut, %s; remove it if nobody reads for it",
                group,
                number,
                cut,
                bound,
            )

    def _trim(self, turn_ms: int) -> Sequence[int | bytes] | None:
        keep_ms = self._settings.min_result_age_s * 1000
        limits = (self._settings.keep_results, keep_ms, BATCH, SAMPLES, FORGET * ALIVE_MS)
        reply: Sequence[int | bytes] | None = self._script(keys=self._keys, args=[turn_ms, *limits])
        return reply
