"""Which faults of a job pass by themselves, and how long to wait for that."""

from __future__ import annotations

import random

PASSING = (OSError, MemoryError)
"""A full disk, a file that is being replaced, memory that another job needs: the same job may go through later.
Whatever else a job does to the scorer, it does every time."""

FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 60.0
"""Delays double from the first to the longest."""

STEP_MS = 250
"""Delays are multiples of it, for each one is a consumer's name while a job waits for it."""


def delay_ms(attempt: int) -> int:
    """Milliseconds to wait after a failed attempt.

    The upper half of it is random, so that jobs which failed together don't come back together.

    Args:
        attempt: The attempt that failed, from 1.
    """
    longest = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** (attempt - 1))
    delay = random.uniform(longest / 2, longest)  # noqa: S311 - no secret
    return max(1, round(delay * 1000 / STEP_MS)) * STEP_MS
