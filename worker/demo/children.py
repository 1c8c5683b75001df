"""Child processes of the demo: each with a log file and a process group of its own, all stopped at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.schemas import GroundwireError
from groundwire.worker.parent_death import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

STOP_SECONDS = 10.0
"""Time that all children together get to end after SIGTERM; then their groups are killed."""

TAIL_LINES = 15
"""How much of a log is shown when its process died: a Python traceback's end, readable at a glance."""


class DemoFailedError(GroundwireError):
    """The demo's processes did not do their work.

    Attributes:
        logs: The last lines of their logs.
    """

    def __init__(self, problem: str, logs: str) -> None:
        super().__init__(problem)
        self.logs = logs


@dataclass(frozen=True)
class _Child:
    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def signal_group(self, number: int) -> None:
        """Reach the process and all that it started; the group is gone once they all are."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return


class Children:
    """The processes that were started, in that order."""

    def __init__(self) -> None:
        self._running: list[_Child] = []

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Start a process in a group of its own, so that Ctrl-C reaches it by `stop` alone and in order.

        Args:
            name: What to call it in messages.
            command: Program and arguments.
            environment: All of its environment.
            log: File for its output; begun anew.
        """
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and command line
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
                preexec_fn=end_with_parent(),  # noqa: PLW1509 - it takes no lock and makes two system calls
            )
        self._running.append(_Child(name, process, log))

    def check(self) -> None:
        """Raise when one has ended, with the end of its log.

        Raises:
            DemoFailedError: naming the process and its exit code.
        """
        for child in self._running:
            code = child.process.poll()
            if code is not None:
                raise DemoFailedError(f"the {child.name} ended with exit code {code}", self.tails())

    def tails(self) -> str:
        """Return the last lines of every log, under its path."""
        return "\n".join(line for child in self._running for line in (f"--- {child.log}", *_tail(child.log)))

    def stop(self) -> None:
        """End them all and wait until they are gone: first by SIGTERM, then by SIGKILL."""
        for child in self._running:
            if child.process.poll() is None:
                child.process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for child in self._running:
            try:
                child.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.signal_group(signal.SIGKILL)
                child.process.wait()
            # what a child left behind in its group goes with it
            child.signal_group(signal.SIGKILL)
        self._running.clear()


def _tail(log: Path) -> deque[str]:
    with log.open(encoding="utf-8", errors="replace") as lines:
        return deque((line.rstrip("\n") for line in lines), TAIL_LINES)
