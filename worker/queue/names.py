"""Consumer names: who holds an entry of a job stream, and in which role."""

from __future__ import annotations

import os
import socket

INTAKE = "intake:"
WORKER = "worker:"


def intake_name() -> str:
    """The consumer name of this process as an intake."""
    return f"{INTAKE}{_process()}"


def worker_name() -> str:
    """The consumer name of this process as a worker; call it after the fork."""
    return f"{WORKER}{_process()}"


def _process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
