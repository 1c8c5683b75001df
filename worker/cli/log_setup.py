"""Logging of the commands that run for long."""

from __future__ import annotations

import logging

FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"


def log_to_stderr(level: str) -> None:
    """Send log lines of this level and above to standard error."""
    logging.basicConfig(level=level, format=FORMAT)
