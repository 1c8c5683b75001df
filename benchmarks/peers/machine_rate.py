"""Measures the machine's int8 rate with all of its processors at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from peers.crew import Crew, Layout
from peers.int8_rate import OPERATORS, SHAPES, operations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FIRST_TIMES = 20
"""Products for a first estimate, to settle how many make a measurement."""

REPEATS = 3


def machine_int8_rate(command: Sequence[str], processes: int, seconds: float, log: Path) -> tuple[float, str]:
    """Measure both operators on shapes of the model, in processes of one thread at the same time.

    Args:
        command: What starts a process that runs products.
        processes: How many.
        seconds: Length of a measurement.
        log: Where their standard error goes.

    Returns:
        The highest operations per second of all together, and with which operator and shape.

    Raises:
        CrewError: A process failed.
    """
    best = (0.0, "")
    with Crew(command, Layout(processes, 1), log) as crew:
        for operator in OPERATORS:
            for shape in SHAPES:
                crew.ask([{"do": "prepare", "shape": shape, "operator": operator}] * processes)
                taken = crew.seconds({"do": "run", "times": FIRST_TIMES})
                times = max(FIRST_TIMES, math.ceil(FIRST_TIMES * seconds / taken))
                fastest = min(crew.seconds({"do": "run", "times": times}) for _ in range(REPEATS))
                name = f"{operator} [{shape[0]}x{shape[1]}]·[{shape[1]}x{shape[2]}]"
                best = max(best, (operations(shape) * times * processes / fastest, name))
    return best
