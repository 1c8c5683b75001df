"""The Lua scripts of this folder, registered with a server."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import redis
    from redis.commands.core import Script


def load(server: redis.Redis, name: str) -> Script:
    """Return a script, ready to be called; the server gets its text when it does not know it.

    Args:
        server: Connection to the Redis server.
        name: The script's file without its ending.
    """
    return server.register_script(_source("common") + _source(name))


@cache
def _source(name: str) -> str:
    return files(__package__).joinpath(f"{name}.lua").read_text(encoding="utf-8")
