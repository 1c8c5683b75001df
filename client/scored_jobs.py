"""Jobs that have their result and were kept, so that they can be scored once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.client.connection import queue_errors, read_entries
from groundwire.schemas import Limits, parse_job

if TYPE_CHECKING:
    from collections.abc import Iterator

    import redis

    from groundwire.client.keys import Keys
    from groundwire.client.settings import ClientSettings
    from groundwire.schemas import Job

PAGE = 50
"""Jobs per round trip: each may have a megabyte."""

ANY_SIZE = Limits(max_job_bytes=2**31, max_chunks=2**31, max_response_chars=2**31)
"""A worker has read them within its own limits, which may be others than ours."""


def read_scored(server: redis.Redis, keys: Keys, settings: ClientSettings, since_ms: int) -> Iterator[Job]:
    """Yield the jobs that were kept, in the order of their results.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        settings: Where the server is, for error messages.
        since_ms: Only those whose result was published at this time or later, in milliseconds since 1970.

    Raises:
        InvalidJobError: What was kept can't be read: a newer release wrote it.
        QueueError: The server can't be reached.
    """
    after = str(max(0, since_ms))
    while True:
        with queue_errors(settings):
            page = read_entries(server.xrange(keys.scored, min=after, count=PAGE))
        for _, fields in page:
            yield parse_job(fields.get("payload", b""), ANY_SIZE, unknown_fields="warn").job
        if len(page) < PAGE:
            return
        after = f"({page[-1][0]}"
