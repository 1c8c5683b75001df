"""Runs calls at the same time, in threads that keep no program from ending."""

from __future__ import annotations

from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def side_by_side(calls: Sequence[Callable[[], None]], at_once: int) -> list[BaseException | None]:
    """Run calls to their ends.

    A pool of the standard library would have Ctrl-C wait for calls that wait for a network.

    Args:
        calls: What to run; they start in this order.
        at_once: Most of them that run at the same time, from 1.

    Returns:
        What each call raised, in their order; None where it raised nothing.
    """
    ends: list[Future[None]] = [Future() for _ in calls]
    waiting: SimpleQueue[tuple[Callable[[], None], Future[None]]] = SimpleQueue()
    for pair in zip(calls, ends, strict=True):
        waiting.put(pair)

    def work() -> None:
        while True:
            try:
                call, end = waiting.get_nowait()
            except Empty:
                return
            try:
                call()
            except BaseException as error:  # noqa: BLE001 - it is handed to the thread that waits
                end.set_exception(error)
            else:
                end.set_result(None)

    for number in range(min(at_once, len(calls))):
        Thread(target=work, name=f"judge-{number}", daemon=True).start()
    return [end.exception() for end in ends]
