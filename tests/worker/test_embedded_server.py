from __future__ import annotations

import os

import pytest
import redis

from groundwire.client import Client
from groundwire.schemas import QueueError
from groundwire.worker.embedded_server import EmbeddedServer


def test_it_answers_and_ends() -> None:
    with EmbeddedServer() as server, Client(server.url) as client:
        client.ping()
    with Client(server.url) as client, pytest.raises(QueueError, match="no answer"):
        client.ping()
    server.stop()


def test_two_live_side_by_side() -> None:
    with EmbeddedServer() as first, EmbeddedServer() as second:
        redis.Redis.from_url(first.url).set("key", "value")
        assert redis.Redis.from_url(second.url).get("key") is None


def test_others_on_the_machine_need_the_password() -> None:
    with EmbeddedServer() as server:
        address = server.url.partition("@")[2]
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(f"redis://{address}").ping()


def test_ctrl_c_of_the_terminal_does_not_reach_it() -> None:
    with EmbeddedServer() as server:
        pid = redis.Redis.from_url(server.url).info("server")["process_id"]
        assert os.getpgid(pid) != os.getpgid(0)


def test_it_keeps_nothing_on_disk() -> None:
    with EmbeddedServer() as server:
        config = redis.Redis.from_url(server.url).config_get("*")
        assert (config["save"], config["appendonly"], config["bind"]) == ("", "no", "127.0.0.1")
        folder = config["dir"]
    assert not os.path.exists(folder)  # noqa: PTH110 - a plain path from the server
