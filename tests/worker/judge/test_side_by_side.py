"""Calls that run at the same time."""

from __future__ import annotations

import signal
import subprocess
import sys
from threading import Lock

import pytest

from groundwire.worker.judge.side_by_side import side_by_side

STUCK = """
import os
from threading import Event
from groundwire.worker.judge.side_by_side import side_by_side

def call():
    os.write(1, b"called\\n")  # at once, lest two threads mix their lines
    Event().wait()

side_by_side([call, call], 2)
"""


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_every_call_runs_once_and_what_it_raised_is_told_in_order(at_once: int) -> None:
    called: list[str] = []
    lock = Lock()
    problems = [None, KeyError("b"), None, SystemExit("d"), None]

    def make(name: str, problem: BaseException | None) -> None:
        with lock:
            called.append(name)
        if problem is not None:
            raise problem

    calls = [lambda n=name, p=problem: make(n, p) for name, problem in zip("abcde", problems, strict=True)]
    assert side_by_side(calls, at_once) == problems
    assert sorted(called) == list("abcde")


def test_nothing_to_call() -> None:
    assert side_by_side([], 3) == []


def test_ctrl_c_does_not_wait_for_calls_that_never_end() -> None:
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"called\n"
            child.send_signal(signal.SIGINT)
            assert child.wait(30) != 0
        finally:
            child.kill()
