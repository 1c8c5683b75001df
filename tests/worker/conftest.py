from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import GROUP, STREAM_NAMES, Client, Keys, connect
from groundwire.worker.embedded_server import EmbeddedServer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import redis


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with EmbeddedServer() as server:
        yield server.url


@pytest.fixture
def settings(server_url: str) -> WorkerSettings:
    """Each test has keys of its own on the shared server."""
    return WorkerSettings(redis_url=server_url, prefix=f"{{test-{uuid.uuid4().hex}}}:")


@pytest.fixture
def keys(settings: WorkerSettings) -> Keys:
    return Keys(settings.prefix)


@pytest.fixture
def server(settings: WorkerSettings, keys: Keys) -> Iterator[redis.Redis]:
    with connect(settings) as server:
        for name in STREAM_NAMES.values():
            server.xgroup_create(keys.stream(name), GROUP, id="0", mkstream=True)
        yield server


@pytest.fixture
def job() -> dict[str, Any]:
    return {
        "v": 1,
        "job_id": "j1",
        "trace_id": "t1",
        "span_id": "s1",
        "rag_context": "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel.",
        "response_text": "The Eiffel Tower is in Paris. It was built in 1889.",
        "completion_tokens": 14,
    }


@pytest.fixture
def client(settings: WorkerSettings) -> Iterator[Client]:
    with Client(settings) as client:
        yield client


@pytest.fixture
def read(server: redis.Redis, keys: Keys) -> Callable[..., str]:
    """Read one entry as an intake would; returns its id."""

    def read(stream: str = "jobs") -> str:
        [[_, [(entry_id, _)]]] = server.xreadgroup(GROUP, "intake:test:1", {keys.stream(stream): ">"}, count=1)
        return entry_id.decode()

    return read


@pytest.fixture
def send(server: redis.Redis, keys: Keys, job: dict[str, Any], read: Callable[..., str]) -> Callable[..., str]:
    """Put a payload, a job or any fields on a job stream and read them as an intake would; returns the entry's id."""

    def send(fields: dict[Any, Any] | bytes | None = None, stream: str = "jobs") -> str:
        fields = job if fields is None else fields
        if isinstance(fields, bytes) or "trace_id" in fields:
            payload = fields if isinstance(fields, bytes) else json.dumps(fields)
            fields = {"v": "1", "payload": payload}
        server.xadd(keys.stream(stream), fields)
        return read(stream)

    return send
