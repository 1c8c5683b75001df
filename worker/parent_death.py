"""Child processes that end with their parent, even when it is killed and can't stop them any more. Linux alone."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PR_SET_PDEATHSIG = 1
"""From linux/prctl.h; the setting outlives an exec."""


def die_with_parent() -> None:
    """Have this process killed when its parent is gone, as it is now: it must not go on computing beside a new one.

    Nothing happens on other systems than Linux: the process ends there when it next looks for work.
    """
    if sys.platform.startswith("linux"):
        parent = os.getppid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone before it could be asked for
            os.kill(os.getpid(), signal.SIGKILL)


def end_with_parent() -> Callable[[], None] | None:
    """Return a `preexec_fn` for `subprocess.Popen` by which the child gets SIGTERM when this process is gone.

    Null where that can't be had: on other systems than Linux, and in other threads than the main one, as Linux takes
    the end of the thread that started a child for its parent's.
    """
    if not sys.platform.startswith("linux") or threading.current_thread() is not threading.main_thread():
        return None
    # Found before the fork: between fork and exec little may be done.
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it was gone before it could be asked for
            os.kill(os.getpid(), signal.SIGTERM)

    return ask
