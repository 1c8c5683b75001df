"""Each child holds the write end of a FIFO: reading it to its end is waiting until nobody holds it any more."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from groundwire.worker.demo.children import Children, DemoFailedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DIES = """
for i in range(100):
    print("line", i)
raise SystemExit(7)
"""

HAS_A_CHILD = """
import signal, subprocess, sys
alive = open(sys.argv[1], "w")
subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], pass_fds=[alive.fileno()])
print("up", file=alive, flush=True)
signal.pause()
"""

DEAF = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
alive = open(sys.argv[1], "w")
print("up", file=alive, flush=True)
while True:
    signal.pause()
"""


@pytest.fixture
def children() -> Iterator[Children]:
    started = Children()
    yield started
    started.stop()


def start(children: Children, code: str, folder: Path) -> Path:
    fifo = folder / "alive"
    os.mkfifo(fifo)
    children.start("worker", (sys.executable, "-c", code, str(fifo)), dict(os.environ), folder / "log")
    return fifo


def check_until_it_fails(children: Children) -> None:
    while True:
        children.check()
        os.sched_yield()


def test_a_child_that_died_is_named_with_its_exit_code_and_the_end_of_its_log(
    children: Children, tmp_path: Path
) -> None:
    start(children, DIES, tmp_path)
    with pytest.raises(DemoFailedError, match="worker ended with exit code 7") as failed:
        check_until_it_fails(children)
    assert failed.value.logs.splitlines()[-1] == "line 99"
    assert "line 84" not in failed.value.logs


def test_stop_ends_a_child_and_what_it_started(children: Children, tmp_path: Path) -> None:
    with start(children, HAS_A_CHILD, tmp_path).open() as alive:
        assert alive.readline() == "up\n"
        children.stop()
        assert alive.read() == ""


def test_a_child_that_ignores_sigterm_is_killed(
    children: Children, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.worker.demo.children.STOP_SECONDS", 0.05)
    with start(children, DEAF, tmp_path).open() as alive:
        assert alive.readline() == "up\n"
        children.stop()
        assert alive.read() == ""
