"""The demo as a user runs it: real processes, all of them gone afterwards however it ended."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from groundwire.client import ClientSettings, connect
from groundwire.worker.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

PROC = Path("/proc")
MARK = "DEMO_TEST_MARK"
"""A variable that every process of a run inherits, by which it is found."""

pytestmark = pytest.mark.skipif(not PROC.is_dir(), reason="processes are looked up in /proc")

EXPECTED = {
    "sample-supported": 1.0,
    "sample-blocked": "finish_reason_blocked",
    "sample-no-context": "rag_context_null",
    "sample-short-context": "rag_context_too_short",
    "sample-few-tokens": "completion_tokens_too_few",
    "sample-abstention": "abstention",
    "sample-no-sentences": "no_qualifying_sentences",
}


class Demo:
    """One run in a session of its own, as a terminal gives it."""

    def __init__(self, output: Path, *words: str, **variables: str) -> None:
        self.output = output
        self._mark = f"{MARK}={secrets.token_hex(8)}"
        self._server_folder = output.parent / "tmp"
        self._server_folder.mkdir(parents=True)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDWIRE_REDIS")}
        name, _, value = self._mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "groundwire.worker.cli", "demo", "--output", str(output), *words],
            env=clean | {name: value, "TMPDIR": str(self._server_folder)} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def read_until(self, start: str) -> None:
        for line in self.stream(self.process.stderr):
            if line.startswith(start):
                return
        pytest.fail(f"the demo ended before it said {start!r}")

    @staticmethod
    def stream(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate()
        return self.process.returncode, out, err

    def leftovers(self) -> list[int]:
        return [int(folder.name) for folder in PROC.iterdir() if folder.name.isdigit() and self._started(folder)]

    def _started(self, folder: Path) -> bool:
        """Tell by its environment, or for the server, which writes over its own, by the folder that it works in."""
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            return self._mark.encode() in variables or self._server_folder in (folder / "cwd").readlink().parents
        except OSError:
            return False


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


def test_a_whole_run_that_builds_the_model(tmp_path: Path) -> None:
    demo = Demo(tmp_path / "a folder" / "out", GROUNDWIRE_CACHE_DIR=str(tmp_path / "cache"))
    demo.read_until("worker ")
    assert len(demo.leftovers()) >= 4
    code, out, err = demo.end()
    assert (code, demo.leftovers()) == (0, [])
    assert "Traceback" not in out + err
    assert max(map(len, out.splitlines()[:-1])) <= 100
    assert out.splitlines()[-1].endswith(str(demo.output / "results.jsonl"))
    lines = (demo.output / "results.jsonl").read_text("utf-8").splitlines()
    metrics = {result["trace_id"]: result["metrics"]["faithfulness"] for result in map(json.loads, lines)}
    assert len(metrics) >= 10
    for trace, expected in EXPECTED.items():
        assert expected in (metrics[trace]["score"], metrics[trace]["skip_reason"])
        assert trace in out
    for trace in ("sample-partly-supported", "sample-long-context", "sample-html-table"):
        assert 0.0 < metrics[trace]["score"] < 1.0
    assert metrics["sample-contradicted"]["contradicted_count"] >= 1
    logs = "".join(log.read_text("utf-8") for log in demo.output.glob("*.log"))
    assert "Eiffel" not in logs
    assert "museum" not in logs


def test_ctrl_c_while_the_worker_starts(tmp_path: Path) -> None:
    demo = Demo(tmp_path / "out")
    demo.read_until("worker ")
    os.killpg(demo.process.pid, signal.SIGINT)
    os.killpg(demo.process.pid, signal.SIGINT)
    code, out, err = demo.end()
    assert (code, out, demo.leftovers()) == (130, "", [])
    assert "Traceback" not in err


def test_sigterm_while_it_waits_on_a_server_of_the_users(tmp_path: Path, server: EmbeddedServer) -> None:
    demo = Demo(tmp_path / "out", "--redis-url", server.url)
    demo.read_until("jobs ")
    demo.process.terminate()
    code, out, err = demo.end()
    assert (code, out, demo.leftovers()) == (143, "", [])
    assert "Traceback" not in err
    with connect(ClientSettings.from_env({"GROUNDWIRE_REDIS_URL": server.url})) as left:
        assert left.dbsize() == 0


def test_a_worker_that_cannot_start_is_named_with_the_end_of_its_log(tmp_path: Path) -> None:
    demo = Demo(tmp_path / "out", GROUNDWIRE_MODEL="nosuch")
    code, out, err = demo.end()
    assert (code, out, demo.leftovers()) == (1, "", [])
    assert "model 'nosuch' is unknown" in err
    assert err.splitlines()[-1] == "groundwire: error: the worker ended with exit code 2"


def test_an_output_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    code, out, err = Demo(tmp_path / "out").end()
    assert (code, out) == (2, "")
    assert err == f"groundwire: error: {tmp_path / 'out'}: File exists; name another folder with --output\n"


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    code, out, err = Demo(tmp_path / "out", "--redis-url", "redis://127.0.0.1:1/0").end()
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("groundwire: error: no answer from the Redis server at 127.0.0.1:1")
