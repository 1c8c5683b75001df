"""Pairs per second of several contenders: each one's best layout and batch first, then rounds in turn."""

from __future__ import annotations

import math
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from peers.crew import Crew, CrewError, Layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

OWN_BATCH = 0
"""Stands for a contender that makes its own batches."""

OWN_PAIRS = 8
"""Such a contender gets pairs in multiples of so many, Groundwire's largest batch, so that none is half full."""

HOPELESS = 0.85
"""A batch size that reaches less than this share of the best one ends the search for a larger one."""

CLOSE = 0.97
"""So do two in a row below this share: beyond the best size speed falls slowly, and never rises again."""


@dataclass(frozen=True, slots=True)
class Contender:
    """Something that scores pairs.

    Attributes:
        name: For the table.
        word: For the names of its logs.
        command: What starts a process of it; the number of threads is added.
        batches: Batch sizes to try, smallest first.
    """

    name: str
    word: str
    command: tuple[str, ...]
    batches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """A layout and a batch size, with the pairs per second that the search saw."""

    layout: Layout
    batch: int
    rate: float

    def __str__(self) -> str:
        return f"{self.layout} b{self.batch}" if self.batch else f"{self.layout}"


@dataclass(frozen=True, slots=True)
class Race:
    """What to measure, and where the processes' logs go.

    Attributes:
        lengths: Tokens of the pairs.
        layouts: The ways to use the machine.
        trial_seconds: Length of a measurement of the search.
        round_seconds: Shortest time of a round.
        rounds: Rounds of each contender and length, of which the median counts.
        logs: Folder.
    """

    lengths: tuple[int, ...]
    layouts: tuple[Layout, ...]
    trial_seconds: float
    round_seconds: float
    rounds: int
    logs: Path


@dataclass(slots=True)
class PairFigures:
    """What came out.

    Attributes:
        settings: The best setting by contender and length.
        rates: Pairs per second of the whole machine, likewise.
        failures: Why a contender has none.
    """

    settings: dict[str, dict[int, Setting]] = field(default_factory=dict)
    rates: dict[str, dict[int, float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def note(text: str) -> None:
    """Say on standard error how far it has come."""
    print(f"  {text}", file=sys.stderr, flush=True)


_SEEDS = count(1)


class _Runner:
    """One contender in one layout."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew

    def rate(self, length: int, batch: int, pairs: int) -> tuple[float, float]:
        """Score new texts, `pairs` in each process; gives pairs per second of all together, and the seconds."""
        shared = {"do": "prepare", "length": length, "batch": max(batch, 1), "pairs": pairs}
        self._crew.ask([shared | {"seed": next(_SEEDS)} for _ in range(self._crew.size)])
        seconds = self._crew.seconds({"do": "run"})
        return pairs * self._crew.size / seconds, seconds

    def trial(self, length: int, batch: int, seconds: float) -> float:
        """Give the pairs per second of a measurement about so long, or of one batch if that takes longer."""
        step = batch or OWN_PAIRS
        rate, taken = self.rate(length, batch, step)
        return rate if taken > seconds else self.rate(length, batch, self.pairs(rate, batch, seconds))[0]

    def pairs(self, rate: float, batch: int, seconds: float) -> int:
        """Give the pairs of one process that take so long, in whole batches."""
        step = batch or OWN_PAIRS
        return step * max(1, math.ceil(rate * seconds / self._crew.size / step))


def race(contenders: Sequence[Contender], plan: Race) -> PairFigures:
    """Measure the contenders; one that fails is left out, with its reason."""
    figures = PairFigures()
    for contender in contenders:
        begin = time.monotonic()
        try:
            figures.settings[contender.name] = _search(contender, plan)
        except CrewError as failure:
            figures.failures[contender.name] = str(failure)
        note(f"{contender.name}: best settings found in {time.monotonic() - begin:.0f} s")
    running = [contender for contender in contenders if contender.name in figures.settings]
    figures.rates = {contender.name: {} for contender in running}
    with ExitStack() as stack:
        rounds = _Rounds(running, plan, figures.settings, stack)
        for length in plan.lengths:
            for name, rate in rounds.rates(length).items():
                figures.rates[name][length] = rate
    return figures


def _search(contender: Contender, plan: Race) -> dict[int, Setting]:
    best: dict[int, Setting] = {}
    for layout in plan.layouts:
        with Crew(contender.command, layout, plan.logs / f"{contender.word}-{layout}.log") as crew:
            runner = _Runner(crew)
            for length in plan.lengths:
                found = _best_batch(runner, contender, layout, length, plan.trial_seconds)
                if length not in best or found.rate > best[length].rate:
                    best[length] = found
    return best


def _best_batch(runner: _Runner, contender: Contender, layout: Layout, length: int, seconds: float) -> Setting:
    tried: list[Setting] = []
    best = Setting(layout, contender.batches[0], 0.0)
    for batch in contender.batches:
        tried.append(Setting(layout, batch, runner.trial(length, batch, seconds)))
        best = max(best, tried[-1], key=lambda setting: setting.rate)
        shares = [setting.rate / best.rate for setting in tried[-2:]]
        if shares[-1] < HOPELESS or (len(shares) > 1 and max(shares) < CLOSE):
            break
    return best


class _Rounds:
    """Measures all contenders in turn, so that what disturbs the machine disturbs them all."""

    def __init__(
        self,
        running: Sequence[Contender],
        plan: Race,
        settings: Mapping[str, Mapping[int, Setting]],
        stack: ExitStack,
    ) -> None:
        self._running = running
        self._plan = plan
        self._settings = settings
        self._stack = stack
        self._crews: dict[tuple[str, Layout], _Runner] = {}

    def rates(self, length: int) -> dict[str, float]:
        """Give the median pairs per second of every contender."""
        seen: dict[str, list[float]] = {contender.name: [] for contender in self._running}
        for turn in range(self._plan.rounds):
            for contender in self._running:
                setting = self._settings[contender.name][length]
                runner = self._runner(contender, setting.layout)
                if turn == 0:
                    runner.rate(length, setting.batch, setting.batch or OWN_PAIRS)
                expected = max([setting.rate, *seen[contender.name]])
                pairs = runner.pairs(expected, setting.batch, self._plan.round_seconds)
                seen[contender.name].append(runner.rate(length, setting.batch, pairs)[0])
        found = {name: statistics.median(rates) for name, rates in seen.items()}
        note(f"{length} tokens: " + ", ".join(f"{name} {rate:.1f}" for name, rate in found.items()))
        return found

    def _runner(self, contender: Contender, layout: Layout) -> _Runner:
        key = (contender.name, layout)
        if key not in self._crews:
            log = self._plan.logs / f"{contender.word}-rounds-{layout}.log"
            self._crews[key] = _Runner(self._stack.enter_context(Crew(contender.command, layout, log)))
        return self._crews[key]
