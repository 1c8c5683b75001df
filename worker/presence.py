"""Which intakes and workers are running, for `groundwire status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import redis

    from groundwire.client import Keys


SIGN = """
-- Notes a sign of life. KEYS[1] alive: sorted set of names by milliseconds   ARGV[1] name
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now_ms), ARGV[1])
"""
"""By the server's clock, as those of many hosts differ."""


class Presence:
    """Tells the server that a process is running.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        name: The process's name, `worker:` or `intake:` first.
    """

    def __init__(self, server: redis.Redis, keys: Keys, name: str) -> None:
        self._keys = keys
        self._name = name
        self._sign = server.register_script(SIGN)

    def sign(self) -> None:
        """Give a sign of life.

        Raises:
            redis.RedisError: The server went away or refused.
        """
        self._sign(keys=[self._keys.alive], args=[self._name])
