"""A file that a live process touches, for health checks that can't look inside it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

INTERVAL_S = 5.0
"""Seconds between two touches at most, while the process does its work."""


def beat(path: Path | None) -> None:
    """Touch the file; nothing when no file is configured.

    Raises:
        OSError: The file can't be written: a process whose health nobody can see is told so at once.
    """
    if path is not None:
        path.touch()


def age_s(path: Path) -> float | None:
    """Seconds since the last touch; null when there was none."""
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except FileNotFoundError:
        return None
