from __future__ import annotations

import json
import secrets
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Client, ClientSettings, Keys, connect
from groundwire.schemas import Job, MetricError, MetricResult, Result, Status, Timing
from groundwire.worker.cli import main
from groundwire.worker.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import redis


PUBLISH = """
local id = redis.call('XADD', KEYS[1], '*', 'trace_id', ARGV[1], 'span_id', 's1', 'job_id', ARGV[2], 'v', '1',
  'payload', ARGV[3])
redis.call('HSET', KEYS[2], ARGV[2], id)
redis.call('SET', KEYS[3], ARGV[4] .. ' ' .. id)
"""
"""All in one step, as a worker's script does it: else somebody could look between them."""


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    with EmbeddedServer() as server:
        yield server.url


class Queue:
    """Keys of one test on the shared server, and what intake and workers would write there."""

    def __init__(self, settings: ClientSettings) -> None:
        self.settings = settings
        self.keys = Keys(settings.prefix)
        self.server: redis.Redis = connect(settings)

    def publish(self, trace_id: str, job_id: str, error: str | None = None) -> Result:
        """Publish a result; it is the one of `job` with these ids, or a dead letter's error."""
        metric = MetricResult(
            score=0.5, status=Status.SUCCESS, threshold=0.5, total_qualifying=2, entailed_count=1, contradicted_count=1
        )
        if error is not None:
            metric = MetricResult(score=None, status=Status.ERROR, error=MetricError(code=error, message=error))
        result = Result(
            job_id=job_id,
            trace_id=trace_id,
            span_id="s1",
            metrics={"faithfulness": metric},
            scorer=None,
            timing=Timing(),
            evaluated_at="2026-01-01T00:00:00.000Z",
        )
        known = "-" if error else Job(**job(trace_id=trace_id, job_id=job_id)).content_hash
        keys = (self.keys.results, self.keys.trace(trace_id), self.keys.done(job_id))
        self.server.eval(PUBLISH, len(keys), *keys, trace_id, job_id, result.model_dump_json(), known)
        return result

    def bury(self, payload: bytes, kept: int | None = None) -> str:
        fields: dict[str, Any] = {
            "reason": "invalid_field",
            "field": "response_text",
            "error": "response_text: should be a text",
            "attempts": "1",
            "stream": "jobs",
            "entry_id": "1-0",
            "trace_id": "t1",
            "v": "1",
            "payload": payload[:kept],
            "payload_bytes": str(len(payload)),
        }
        entry_id: bytes = self.server.xadd(self.keys.dead, fields)
        return entry_id.decode()

    def jobs(self) -> list[dict[str, Any]]:
        return [json.loads(fields[b"payload"]) for _, fields in self.server.xrange(self.keys.stream("jobs"))]


@pytest.fixture
def queue(server_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    prefix = f"{{test-{secrets.token_hex(4)}}}:"
    monkeypatch.setenv("GROUNDWIRE_REDIS_URL", server_url)
    monkeypatch.setenv("GROUNDWIRE_PREFIX", prefix)
    made = Queue(ClientSettings.from_env())
    yield made
    made.server.close()


@pytest.fixture
def client(queue: Queue) -> Iterator[Client]:
    with Client(queue.settings) as made:
        yield made


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run one command; returns exit code, standard output and standard error."""

    def run_command(*words: str | Path) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(word) for word in words])
        return code, *capfd.readouterr()

    return run_command


class Running:
    """A command in a process of its own."""

    def __init__(self, words: tuple[str, ...]) -> None:
        command = [sys.executable, "-m", "groundwire.worker.cli", *words]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr

    def end(self) -> tuple[int, bytes]:
        """Wait for its end; returns the exit code and what was left on standard error."""
        error = self.stderr.read()
        return self.process.wait(), error


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Start a command in a process of its own; it is gone at the end of the test, whatever comes of it."""
    with ExitStack() as started:

        def start_command(*words: str) -> Running:
            running = Running(words)
            started.enter_context(running.process)
            started.callback(running.process.kill)
            return running

        yield start_command


def job(**fields: Any) -> dict[str, Any]:
    return {"trace_id": "t1", "span_id": "s1", "response_text": "An answer.", "rag_context": "A context."} | fields


@pytest.fixture
def write_jobs(tmp_path: Path) -> Callable[..., Path]:
    """Write jobs, or lines as they are, to a file."""

    def write(*lines: dict[str, Any] | bytes) -> Path:
        path = tmp_path / "jobs.jsonl"
        encoded = [line if isinstance(line, bytes) else json.dumps(job(**line)).encode() for line in lines]
        path.write_bytes(b"\n".join(encoded) + b"\n")
        return path

    return write
