"""A file that a live process touches, for health checks that can't look inside it."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

INTERVAL_S = 5.0
"""Seconds between two touches at most, while the process does its work."""

STALL_S = 30.0
"""Seconds for which a worker may do nothing while messages wait; loading a model takes less."""

logger = logging.getLogger(__name__)


def beat(path: Path | None) -> None:
    """Touch the file; nothing when no file is configured.

    Raises:
        OSError: The file can't be written: a process whose health nobody can see is told so at once.
    """
    if path is not None:
        path.touch()


def beat_unless_stalled(
    path: Path | None, quiet_s: float, waiting: Callable[[], int], stall_s: float = STALL_S
) -> None:
    """Touch the file of a worker, unless it does nothing though there is work; then a warning says so.

    Args:
        path: The file; null when none is configured.
        quiet_s: Seconds since the worker last had a job in work, or done.
        waiting: Counts the messages that wait for a worker; asked only after a long quiet.
        stall_s: Seconds for which it may do nothing.

    Raises:
        OSError: The file can't be written.
    """
    if quiet_s >= stall_s and (number := waiting()):
        logger.warning("no heartbeat: %d messages wait, and nothing was in work or done for %.0f s", number, quiet_s)
        return
    beat(path)


def age_s(path: Path) -> float | None:
    """Seconds since the last touch; null when there was none."""
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except FileNotFoundError:
        return None
