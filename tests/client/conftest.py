from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Client, ClientSettings, Keys, connect
from groundwire.worker.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import redis


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with EmbeddedServer() as server:
        yield server.url


@pytest.fixture
def settings(server_url: str) -> ClientSettings:
    """Each test has keys of its own on the shared server."""
    return ClientSettings(redis_url=server_url, prefix=f"{{test-{uuid.uuid4().hex}}}:")


@pytest.fixture
def keys(settings: ClientSettings) -> Keys:
    return Keys(settings.prefix)


@pytest.fixture
def server(settings: ClientSettings) -> Iterator[redis.Redis]:
    with connect(settings) as server:
        yield server


@pytest.fixture
def client(settings: ClientSettings) -> Iterator[Client]:
    with Client(settings) as client:
        yield client


@pytest.fixture
def job() -> dict[str, Any]:
    return {"trace_id": "t1", "span_id": "s1", "response_text": "It was built in 1889.", "rag_context": "In 1889."}


@pytest.fixture
def publish(server: redis.Redis, keys: Keys) -> Callable[..., str]:
    """Put a result where a worker would; returns its entry id."""

    def publish(trace_id: str, job_id: str, payload: str | None = None) -> str:
        if payload is None:
            payload = (
                f'{{"v":1,"job_id":"{job_id}","trace_id":"{trace_id}","span_id":"s1","metrics":{{}},"scorer":null,'
                '"timing":{},"evaluated_at":"2026-01-01T00:00:00Z","a_field_of_the_future":1}'
            )
        fields = {"trace_id": trace_id, "span_id": "s1", "job_id": job_id, "v": "1", "payload": payload}
        entry_id = server.xadd(keys.results, fields)
        server.hset(keys.trace(trace_id), job_id, entry_id)
        return entry_id.decode()

    return publish
