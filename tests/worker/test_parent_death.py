from __future__ import annotations

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from groundwire.worker.parent_death import end_with_parent

if TYPE_CHECKING:
    from pathlib import Path

PARENT = """
import sys
from pathlib import Path
from groundwire.worker.demo.children import Children
from groundwire.worker.embedded_server import EmbeddedServer
fifo, log = sys.argv[1:]
child = "import signal, sys; alive = open(sys.argv[1], 'w'); print('up', file=alive, flush=True); signal.pause()"
server = EmbeddedServer()
Children().start("child", (sys.executable, "-c", child, fifo), {}, Path(log))
print(server.url, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such signal")
def test_server_and_children_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    command = [sys.executable, "-c", PARENT, str(fifo), str(tmp_path / "log")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:  # noqa: SIM117 - one long line else
        with fifo.open() as alive:
            assert alive.readline() == "up\n"
            assert parent.stdout is not None
            host, _, port = parent.stdout.readline().partition("@")[2].partition("/")[0].partition(":")
            with socket.create_connection((host, int(port))) as connection:
                parent.kill()
                # Both ends are reached when nobody is there any more.
                assert alive.read() == ""
                assert connection.recv(1) == b""


def test_a_thread_that_ends_takes_no_child_with_it() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(end_with_parent).result() is None
