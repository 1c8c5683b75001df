"""SIGINT and SIGTERM as exceptions that can't fall between the start of a process and the note of it."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

STOPPING = (signal.SIGINT, signal.SIGTERM)

SIGNAL_EXIT = 128
"""A process that ends on a signal exits with this plus its number, as shells count."""


class StopSignals:
    """While it is entered, the first SIGINT raises KeyboardInterrupt and the first SIGTERM SystemExit.

    Later ones are ignored: the clean-up that the first one set off is bounded in time, and must not be cut short.
    """

    def __init__(self) -> None:
        self._received: int | None = None
        self._held = False

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._handle) for number in STOPPING}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold signals back for the length of the block, and raise for the first one at its end."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._received is not None:
            self._raise(self._received)

    def ignore(self) -> None:
        """Let no signal raise any more: the clean-up has begun."""
        self._held = True

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self._received is None:
            self._received = number
            if not self._held:
                self._raise(number)

    @staticmethod
    def _raise(number: int) -> None:
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(SIGNAL_EXIT + number)
