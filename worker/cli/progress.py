"""A counter on standard error, for whoever watches a long run."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

REDRAW_SECONDS = 0.2
"""A terminal shows no more than that in a readable way, and drawing must cost nothing beside the work."""

ERASE_LINE = "\r\x1b[K"


class Progress:
    """Counts jobs on one line of standard error: only on a terminal, and only where results don't scroll by there.

    Args:
        verb: What happens to the jobs, such as `scored`.
    """

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._shown = sys.stderr.isatty() and not sys.stdout.isatty()
        self._count = 0
        self._start = self._drawn = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and self._count:
            self._draw(time.monotonic())
            print(file=sys.stderr)

    def step(self) -> None:
        """Count one more job."""
        self._count += 1
        now = time.monotonic()
        if self._shown and now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._draw(now)

    def _draw(self, now: float) -> None:
        rate = self._count / max(now - self._start, REDRAW_SECONDS)
        line = f"{ERASE_LINE}{self._verb} {self._count:,} jobs, {rate:.1f} a second"
        print(line, end="", file=sys.stderr, flush=True)
