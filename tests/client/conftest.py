from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Client, ClientSettings, Combiner, CombineSettings, Keys, connect
from groundwire.worker.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import redis


PUBLISH = """
local id = redis.call('XADD', KEYS[1], '*', 'trace_id', ARGV[1], 'span_id', 's1', 'job_id', ARGV[2], 'v', '1',
  'payload', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[2], id)
return id
"""
"""Both in one step, as a worker's script does it: else somebody could look between the two."""


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
        entry_id: bytes = server.eval(PUBLISH, 2, keys.results, keys.trace(trace_id), trace_id, job_id, payload)
        return entry_id.decode()

    return publish


@pytest.fixture
def put(server: redis.Redis, keys: Keys) -> Callable[[dict[Any, Any]], str]:
    """Put any fields on the results stream; returns their entry id."""

    def put(fields: dict[Any, Any]) -> str:
        entry_id: bytes = server.xadd(keys.results, fields)
        return entry_id.decode()

    return put


@pytest.fixture
def send(put: Callable[[dict[Any, Any]], str]) -> Callable[..., str]:
    """Put the result of any system on the results stream; returns its entry id."""

    def send(job_id: str, /, span: tuple[str, str] = ("t1", "s1"), **scores: float | None) -> str:
        metrics = {name: {"score": score, "status": "of another system"} for name, score in scores.items()}
        payload = {"v": 1, "trace_id": span[0], "span_id": span[1], "job_id": job_id, "metrics": metrics}
        return put({"payload": json.dumps(payload)})

    return send


@pytest.fixture
def make_combiner(settings: ClientSettings) -> Iterator[Callable[..., Combiner]]:
    """Make combiners that wait for longer than any test takes, unless told otherwise."""
    made: list[Combiner] = []

    def make(name: str = "one", wait_s: float = 3600.0, **changes: Any) -> Combiner:
        weights = {"faithfulness": 2.0, "toxicity": 1.0}
        where = {"redis_url": settings.redis_url, "prefix": settings.prefix}
        made.append(Combiner(CombineSettings(**where, weights=weights, combine_wait_s=wait_s), name, **changes))
        return made[-1]

    yield make
    for combiner in made:
        combiner.close()
