"""Connections to the Redis server, and its errors as Groundwire tells them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from groundwire.client.tls import TlsConnection, tls_problem
from groundwire.schemas import QueueError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.client.settings import ClientSettings

BLOCK_MS = 5_000
"""Longest wait inside one blocking command: well below the socket's timeout."""

SOCKET_TIMEOUT_S = 15.0
"""Silence after which a server counts as gone."""

CONNECT_TIMEOUT_S = 5.0

RETRIES = 3
"""Repetitions of a command whose connection broke: enough for a server that closes idle connections."""

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 0.5

DEFAULT_PORT = 6379


def connect(settings: ClientSettings) -> redis.Redis:
    """Return a client of the server; it connects on its first command and may be shared by threads."""
    is_tls = settings.redis_url.startswith("rediss://")
    return redis.Redis.from_url(
        settings.redis_url,
        connection_class=TlsConnection if is_tls else redis.Connection,
        # Replies of streams have another shape in RESP3, and redis-py changed its default.
        protocol=2,
        socket_timeout=SOCKET_TIMEOUT_S,
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        retry=Retry(ExponentialBackoff(cap=LONGEST_PAUSE_S, base=FIRST_PAUSE_S), RETRIES),
    )


def address(settings: ClientSettings) -> str:
    """Host and port of the server: the part of its URL that holds no password."""
    parts = urlsplit(settings.redis_url)
    return f"{parts.hostname or 'localhost'}:{parts.port or DEFAULT_PORT}"


@contextmanager
def queue_errors(settings: ClientSettings) -> Iterator[None]:
    """Turn redis-py's errors into `QueueError`, which says what to do and never shows the password."""
    try:
        yield
    except redis.AuthenticationError as error:
        problem = f"the Redis server at {address(settings)} refused user or password; check GROUNDWIRE_REDIS_URL"
        raise QueueError(problem) from error
    except (redis.ConnectionError, redis.TimeoutError) as error:
        problem = tls_problem(error) or "start it, or check GROUNDWIRE_REDIS_URL"
        raise QueueError(f"no answer from the Redis server at {address(settings)}; {problem}") from error
    except redis.RedisError as error:
        # A server's refusal is one line such as "OOM command not allowed" or "NOPERM ..."; it quotes no values.
        problem = f"the Redis server at {address(settings)} refused the command: {type(error).__name__}: {error}"
        raise QueueError(problem) from error


Entry = tuple[str, dict[str, bytes]]
"""A stream's entry: its id and its fields."""


def read_entries(reply: Any) -> list[Entry]:  # noqa: ANN401 - redis-py gives replies of streams no exact type
    """Bring the reply of XRANGE, or one stream's part of XREAD, into shape; a field's name need not be UTF-8."""
    return [
        (entry_id.decode(), {name.decode(errors="replace"): value for name, value in (fields or {}).items()})
        for entry_id, fields in reply or ()
    ]


def read_streams(reply: Any) -> dict[str, list[Entry]]:  # noqa: ANN401 - as above
    """Bring the reply of XREAD or XREADGROUP into shape: entries by the key of their stream."""
    return {key.decode(): read_entries(entries) for key, entries in reply or ()}


def as_text(value: object) -> str:
    """A reply as text; redis-py promises bytes or text."""
    return value.decode() if isinstance(value, bytes) else str(value)


def entry_order(entry_id: str) -> tuple[int, int]:
    """Stream ids as numbers, so that they sort as they were published."""
    millis, _, sequence = entry_id.partition("-")
    return int(millis), int(sequence or 0)
