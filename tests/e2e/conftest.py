from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from groundwire.client import Client, ClientSettings, Keys, connect
from groundwire.worker.embedded_server import EmbeddedServer
from tests.worker.judge.judge_server import judging

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    import redis

    from tests.worker.judge.judge_server import JudgeServer

JUDGE_KEY = "S3CRET-of-the-judge"
MARKER = "a text that stays private"
START_S = 120
"""A worker that builds its model first needs about a minute."""
STOP_S = 30
ANSWER = "The Eiffel Tower is in Paris. It was built in 1889."
EIFFEL = "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel."


@dataclass(frozen=True)
class System:
    """A server, an intake and a worker as real processes."""

    server: redis.Redis
    keys: Keys
    client: Client
    messages: list[bytes]
    """Everything but the job streams, as it stood on the server when the first job had reached Celery's list."""
    password: str
    logs: dict[str, Path]
    heartbeat: Path
    judge: JudgeServer

    def add(self, payload: bytes | str, stream: str = "jobs") -> str:
        """Write an entry as any producer may; returns its id."""
        return self.add_fields({"v": "1", "payload": payload}, stream)

    def add_fields(self, fields: dict[Any, Any], stream: str = "jobs") -> str:
        return self.server.xadd(self.keys.stream(stream), fields).decode()

    def results(self, trace_ids: Collection[str]) -> dict[str, dict[bytes, bytes]]:
        """Wait for the results of these traces; their entries by trace id."""
        return self._gather(self.keys.results, b"trace_id", trace_ids)

    def dead(self, entry_ids: Collection[str]) -> dict[str, dict[bytes, bytes]]:
        """Wait for the dead letters of these entries; they by the entry's id."""
        return self._gather(self.keys.dead, b"entry_id", entry_ids)

    def _gather(self, stream: str, field: bytes, wanted: Collection[str]) -> dict[str, dict[bytes, bytes]]:
        found: dict[str, dict[bytes, bytes]] = {}
        position = "0"
        while not found.keys() >= set(wanted):
            reply = self.server.xread({stream: position}, block=10_000)
            assert reply, f"nothing came for 10 s; missing: {set(wanted) - found.keys()}"
            for entry_id, fields in reply[0][1]:
                position = entry_id
                if (value := fields[field].decode()) in wanted:
                    assert value not in found, f"two entries for {value}"
                    found[value] = fields
        return found


@contextmanager
def process(command: str, log: Path, environ: dict[str, str]) -> Iterator[None]:
    """Run a command of Groundwire's; it has to end well when it is told to stop."""
    with log.open("wb") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "groundwire.worker.cli", command], env=environ, stdout=output, stderr=output
        )
    try:
        yield
        assert child.poll() is None, log.read_text()
        child.send_signal(signal.SIGTERM)
        assert child.wait(STOP_S) == 0, log.read_text()
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    folder = tmp_path_factory.mktemp("e2e")
    logs = {name: folder / f"{name}.log" for name in ("intake", "worker")}
    heartbeat = folder / "heartbeat"
    with EmbeddedServer() as embedded, judging() as judge:
        settings = ClientSettings(redis_url=embedded.url)
        keys = Keys(settings.prefix)
        environ = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDWIRE_")}
        environ |= {"GROUNDWIRE_REDIS_URL": embedded.url, "GROUNDWIRE_LOG_LEVEL": "DEBUG"}
        workers = {"GROUNDWIRE_CONCURRENCY": "1", "GROUNDWIRE_HEARTBEAT_FILE": str(heartbeat)}
        workers |= {"GROUNDWIRE_JUDGE_URL": judge.url, "GROUNDWIRE_JUDGE_MODEL": "m1"}
        workers |= {"GROUNDWIRE_JUDGE_API_KEY": JUDGE_KEY, "GROUNDWIRE_JUDGE_RETRIES": "1"}
        with connect(settings) as server, Client(settings) as client:
            first = client.submit(_first_job())
            with process("intake", logs["intake"], environ):
                # Moves the first message onto its own place: a wait for it that leaves it there.
                assert server.blmove(keys.celery, keys.celery, 10, "RIGHT", "RIGHT")
                messages = _everything_but_the_job_streams(server, keys)
                with process("worker", logs["worker"], environ | workers):
                    client.wait(first.trace_id, first.job_id, START_S)
                    password = urlsplit(embedded.url).password or ""
                    yield System(server, keys, client, messages, password, logs, heartbeat, judge)


def _first_job() -> dict[str, Any]:
    return {
        "trace_id": "marked",
        "span_id": "s",
        "query": f"What is {MARKER}?",
        "response_text": f"The text {MARKER} is a marker that stays private. The Eiffel Tower is in Paris.",
        "contexts": [{"text": f"{MARKER} is a marker. {EIFFEL}", "title": MARKER}],
    }


def _everything_but_the_job_streams(server: redis.Redis, keys: Keys) -> list[bytes]:
    streams = {keys.stream("jobs").encode(), keys.stream("jobs:backfill").encode()}
    return [server.dump(key) or b"" for key in server.keys("*") if key not in streams] + server.lrange(
        keys.celery, 0, -1
    )


@pytest.fixture
def job() -> Callable[..., dict[str, Any]]:
    """The fields of a job that is all right."""

    def job(
        trace_id: str, response_text: str = "The Eiffel Tower is in Paris. It was built in 1889."
    ) -> dict[str, Any]:
        fields = {"v": 1, "trace_id": trace_id, "span_id": "s1", "completion_tokens": 14}
        return fields | {"rag_context": EIFFEL, "response_text": response_text}

    return job
