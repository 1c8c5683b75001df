"""Pairs per second of the NLI engine at a given length, in one process or several at once."""

from __future__ import annotations

import multiprocessing
import statistics
import time
from typing import TYPE_CHECKING

from groundwire.models.catalogue import EMBEDDED, resolve
from groundwire.models.nli_engine import NliEngine

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier

LENGTHS = (64, 128, 256)
"""Tokens of a pair: short evidence, several sentences, a large piece."""

TOKENS_PER_ROUND = 2048
"""Work of one measurement: one to two seconds on a small machine, long enough for a clock and short for a wait."""

CONTROL_TOKENS = 3
"""What the encoder adds around premise and hypothesis."""

HYPOTHESIS = "The harbour was closed to large ships during the winter."
PROSE = (
    "the old harbour wall was built of grey stone and the boats that came in at night had to wait for the water to "
    "rise because the channel is narrow and the men who knew it well would not take a large ship through in the dark"
)


def pairs_per_second(length: int, processes: int, repeats: int) -> float:
    """Measure several processes of one thread each, all at once.

    Args:
        length: Tokens of each pair, control tokens included.
        processes: How many of them.
        repeats: Measurements, of which the median counts.

    Returns:
        Pairs per second of all processes together.
    """
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes)
    rates: Queue[list[float]] = context.Queue()
    workers = [context.Process(target=_measure, args=(length, repeats, barrier, rates)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    measured: list[list[float]] = [rates.get() for _ in workers]
    for worker in workers:
        worker.join()
    return statistics.median(float(sum(together)) for together in zip(*measured, strict=True))


def _measure(length: int, repeats: int, barrier: Barrier, rates: Queue[list[float]]) -> None:
    engine = NliEngine.load(resolve(EMBEDDED), threads=1)
    pairs = [(_premise(engine, length, start), HYPOTHESIS) for start in range(TOKENS_PER_ROUND // length)]
    engine.score(pairs[:1])
    found = []
    for _ in range(repeats):
        barrier.wait()
        start = time.perf_counter()
        engine.score(pairs)
        found.append(len(pairs) / (time.perf_counter() - start))
    rates.put(found)


def _premise(engine: NliEngine, length: int, start: int) -> str:
    """Return as many words, from the one at `start` on, as make the pair exactly so long."""
    room = length - CONTROL_TOKENS - engine.count_tokens(HYPOTHESIS)
    prose, words = PROSE.split(), list[str]()
    while engine.count_tokens(" ".join(words)) < room:
        words.append(prose[(start + len(words)) % len(prose)])
    return " ".join(words)
