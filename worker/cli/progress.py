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


BAR_CHARS = 30
"""Width of the bar: with the numbers beside it, the line fits into 80 columns."""

MINUTE = 60


class Progress:
    """Counts on one line of standard error: only on a terminal, and only where results don't scroll by there.

    Args:
        verb: What happens to what is counted, such as `scored`.
        noun: What is counted.
        total: How many there are, where that is known; a bar shows the share, and the time left is estimated. It is
            for commands that print nothing before the end, so it shows beside results on the same terminal too.
    """

    def __init__(self, verb: str, noun: str = "jobs", total: int | None = None) -> None:
        self._verb = verb
        self._noun = noun
        self._total = total
        self._shown = sys.stderr.isatty() and (total is not None or not sys.stdout.isatty())
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
        """Count one more."""
        self._count += 1
        now = time.monotonic()
        if self._shown and now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._draw(now)

    def _draw(self, now: float) -> None:
        rate = self._count / max(now - self._start, REDRAW_SECONDS)
        counted = f"{self._verb} {self._count:,} {self._noun}, {rate:.1f} a second"
        if self._total:
            counted = (
                f"{self._bar()} {self._verb} {self._count:,} of {self._total:,} {self._noun}, {self._left(rate)} left"
            )
        print(f"{ERASE_LINE}{counted}", end="", file=sys.stderr, flush=True)

    def _bar(self) -> str:
        filled = BAR_CHARS * self._count // (self._total or 1)
        return "\u2588" * filled + "\u2591" * (BAR_CHARS - filled)

    def _left(self, rate: float) -> str:
        seconds = int(((self._total or 0) - self._count) / rate)
        return f"{seconds // MINUTE}:{seconds % MINUTE:02d}"
