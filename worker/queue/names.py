"""Names of the consumers of the job streams: the processes, and what workers handed back."""

from __future__ import annotations

import os
import secrets
import socket

from groundwire.client.keys import INTAKE

RELEASED = f"{INTAKE}released"
"""Has what workers handed back. A role of an intake's, as the entry is on its way to a worker again."""

TAG_BYTES = 4
"""Random bytes in a process's name: in containers, hosts' names and processes' ids come again and again."""


def process_name() -> str:
    """A name for this process that no other one has, had or will have; call it after the fork."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(TAG_BYTES)}"
