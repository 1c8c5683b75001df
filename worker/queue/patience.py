"""Waiting for a server that went away: a result that took seconds to compute is not thrown away for its restart."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, TypeVar

import redis

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 1.0
"""Pauses between attempts double from the first to the longest: a server that comes back is noticed within a second."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


def patiently(call: Callable[[], T], stopping: Callable[[], bool]) -> T:
    """Call until the server answers, and return what it said.

    Args:
        call: What to ask of the server. It may reach it twice, when only the reply got lost.
        stopping: Whether nobody may be kept waiting any more.

    Raises:
        redis.ConnectionError: The server is away, and this process stops.
        redis.TimeoutError: Likewise.
        redis.RedisError: The server refused.
    """
    pause = FIRST_PAUSE_S
    while True:
        try:
            return call()
        except (redis.ConnectionError, redis.TimeoutError) as error:
            if stopping():
                raise
            logger.warning("no answer from the server, trying again in %.1f s: %s", pause, type(error).__name__)
            time.sleep(pause)
            pause = min(LONGEST_PAUSE_S, pause * 2)
