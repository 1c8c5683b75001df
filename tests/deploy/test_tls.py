"""Everything over TLS with a private authority, each process as its own user."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Client, ClientSettings, tls
from groundwire.schemas import QueueError
from tests.deploy.secured import CERTIFICATES, password

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import redis

RESULT_S = 120
"""A worker that builds its model first needs about a minute."""

STOP_S = 30


@pytest.fixture
def url_of(tls_port: int) -> Callable[..., str]:
    def url_of(role: str, host: str = "localhost", ca: Path = CERTIFICATES / "ca.pem") -> str:
        return f"rediss://{role}:{password(role)}@{host}:{tls_port}/0?ssl_cert_reqs=required&ssl_ca_certs={ca}"

    return url_of


@contextmanager
def running(command: str, url: str, log: Path) -> Iterator[None]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDWIRE_")}
    environ |= {"GROUNDWIRE_REDIS_URL": url, "GROUNDWIRE_CONCURRENCY": "1"}
    with log.open("wb") as output:
        command_line = [sys.executable, "-m", "groundwire.worker.cli", command]
        child = subprocess.Popen(command_line, env=environ, stdout=output, stderr=output)
    try:
        yield
        child.send_signal(signal.SIGTERM)
        assert child.wait(STOP_S) == 0, log.read_text()
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def test_a_job_goes_all_the_way(
    url_of: Callable[..., str], connect_as: Callable[[str], redis.Redis], tmp_path: Path
) -> None:
    admin = connect_as("admin")
    job: dict[str, Any] = {"trace_id": "t1", "span_id": "s1", "response_text": "It was built in 1889."}
    logs = {name: tmp_path / f"{name}.log" for name in ("intake", "worker")}
    with (
        Client(ClientSettings(redis_url=url_of("producer"))) as producer,
        Client(ClientSettings(redis_url=url_of("consumer"))) as consumer,
        running("intake", url_of("worker"), logs["intake"]),
        running("worker", url_of("worker"), logs["worker"]),
    ):
        sent = producer.submit(job | {"finish_reason": "content_filter"})
        result = consumer.wait(sent.trace_id, sent.job_id, RESULT_S)
        assert result.metrics["faithfulness"].skip_reason == "finish_reason_blocked"
        assert producer.submit(job | {"finish_reason": "content_filter"}).entry_id is None
    refused = [(entry["username"], entry["reason"], entry["object"]) for entry in admin.acl_log()]
    assert refused == []
    for log in logs.values():
        assert password("worker") not in log.read_text()


def test_a_server_that_is_not_who_it_should_be_is_not_talked_to(url_of: Callable[..., str]) -> None:
    other, missing = CERTIFICATES / "other.pem", CERTIFICATES / "missing.pem"
    for url, problem in (
        (url_of("producer", ca=other), "its certificate is not trusted"),
        (url_of("producer", host="127.0.0.1"), "its certificate is not trusted .*IP address mismatch"),
        (url_of("producer", ca=missing), "a file of certificates .* is missing"),
        (url_of("producer").replace("rediss://", "redis://").partition("?")[0], "no answer"),
    ):
        with Client(ClientSettings(redis_url=url)) as client, pytest.raises(QueueError, match=problem) as caught:
            client.ping()
        assert password("producer") not in str(caught.value)


def test_a_port_without_tls_is_told(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tls, "HANDSHAKE_TIMEOUT_S", 0.05)  # no wait
    # A real server without TLS answers some handshakes with an error in plain text; a bare socket never does.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for number in (port, silent.getsockname()[1]):
            url = f"rediss://producer:{password('producer')}@localhost:{number}/0"
            with Client(ClientSettings(redis_url=url)) as client, pytest.raises(QueueError) as caught:
                client.ping()
            problem = f"no answer from the Redis server at localhost:{number}; its port seems not to speak TLS"
            assert str(caught.value).startswith(problem)
