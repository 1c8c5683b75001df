"""A process that is started again whenever it has ended, as an orchestrator would."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

POLL_S = 0.05

STOP_S = 15.0


class Supervised:
    """Runs a command until told to stop; every time that it ends, it is started anew.

    Args:
        command: What to run.
        environment: Its variables.
        log: Where its output goes, that of all its lives.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._command = command
        self._environment = environment
        self._log = log
        self._stopping = Event()
        self._lock = Lock()
        self._process = self._start()
        self.starts = 1
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def signal(self, number: int) -> None:
        """Send a signal to the process that runs now; nothing when it has just ended."""
        with self._lock:
            if self._process.poll() is None:
                self._process.send_signal(number)

    def signal_all(self, number: int) -> None:
        """Send a signal to the process and its children."""
        with self._lock:
            if self._process.poll() is None:
                os.killpg(self._process.pid, number)

    def stop(self) -> None:
        """End it for good."""
        self._stopping.set()
        self._thread.join()
        self.signal_all(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.signal_all(signal.SIGKILL)
            self._process.wait()

    def _watch(self) -> None:
        while not self._stopping.is_set():
            with self._lock:
                if self._process.poll() is not None:
                    self._process = self._start()
                    self.starts += 1
            time.sleep(POLL_S)

    def _start(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                self._command, env=dict(self._environment), stdout=log, stderr=log, start_new_session=True
            )
