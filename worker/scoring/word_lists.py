"""Reads the words and rules that are kept as data beside the code."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def load_table(name: str) -> dict[str, Any]:
    """Read `data/<name>.toml`."""
    return tomllib.loads(
        resources.files("groundwire.worker.scoring").joinpath(f"data/{name}.toml").read_text(encoding="utf-8")
    )
