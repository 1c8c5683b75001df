from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import redis

from groundwire.client import Client, ClientSettings, Keys
from tests.deploy.secured import password, server_with_users, tls_proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server_with_users(tmp_path_factory.mktemp("server")) as port:
        yield port


@pytest.fixture
def keys() -> Keys:
    return Keys()


@pytest.fixture
def connect_as(port: int) -> Iterator[Callable[[str], redis.Redis]]:
    """Connect as one of the users."""
    made: list[redis.Redis] = []

    def connect_as(role: str) -> redis.Redis:
        made.append(redis.Redis("127.0.0.1", port, username=role, password=password(role), protocol=2))
        return made[-1]

    admin = connect_as("admin")
    admin.flushall()
    admin.acl_log_reset()
    yield connect_as
    for server in made:
        server.close()


@pytest.fixture
def client_as(port: int) -> Iterator[Callable[..., Client]]:
    made: list[Client] = []

    def client_as(role: str, **settings: Any) -> Client:
        made.append(Client(ClientSettings(redis_url=f"redis://{role}:{password(role)}@127.0.0.1:{port}/0", **settings)))
        return made[-1]

    yield client_as
    for client in made:
        client.close()


@pytest.fixture(scope="session")
def tls_port(port: int) -> Iterator[int]:
    with tls_proxy(port) as tls_port:
        yield tls_port
