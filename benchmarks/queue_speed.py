"""Jobs through a real server, intake and worker: throughput, memory, cold start."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Self

from process_memory import pss_mib

from groundwire.client import Client, ClientSettings
from groundwire.worker.demo.children import Children
from groundwire.worker.demo.run import read_samples
from groundwire.worker.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from groundwire.schemas import Job, Result

CHILDREN = 2

RESULT_SECONDS = 120.0
"""For one result, a cold start included."""

SAMPLE_SECONDS = 0.1
"""How often memory is read."""


@dataclass(frozen=True)
class QueueFigures:
    """What was measured, medians.

    Attributes:
        children: Scoring processes of the worker, with one thread each.
        jobs_per_second: Sample jobs, from the first submission to the last result.
        pairs_per_job: NLI pairs of these jobs on average.
        peak_mib: Highest proportional set size of a scoring process; null where there is no /proc.
        cold_start_s: From the start of the worker's process to its first result, the model being built.
    """

    children: int
    jobs_per_second: float
    pairs_per_job: float
    peak_mib: float | None
    cold_start_s: float


def measure_queue(starts: int, rounds: int, copies: int) -> QueueFigures:
    """Start workers, send jobs and watch.

    Args:
        starts: Cold starts to measure.
        rounds: Rounds of jobs to measure, with the worker that was started last.
        copies: How often each sample job comes in a round.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:
        server = started.enter_context(EmbeddedServer())
        # without the cache: the same jobs come again and again
        variables = os.environ | {
            "GROUNDWIRE_REDIS_URL": server.url,
            "GROUNDWIRE_PREFIX": "{groundwire-bench}:",
            "GROUNDWIRE_PAIR_CACHE": "0",
        }
        client = started.enter_context(Client(ClientSettings.from_env(variables)))
        intake = Children()
        started.callback(intake.stop)
        intake.start("intake", _command("intake"), variables, Path(folder, "intake.log"))
        worker = Children()
        started.callback(worker.stop)
        samples = read_samples()
        cold = []
        for number in range(starts):
            worker.stop()
            begin = time.perf_counter()
            words = _command("worker", "--concurrency", str(CHILDREN), "--threads", "1")
            worker.start("worker", words, variables, Path(folder, f"worker-{number}.log"))
            _send(client, samples[:1], f"cold-{number}")
            cold.append(time.perf_counter() - begin)
        _send(client, samples, "warm")
        with _MemoryWatch() as watch:
            speeds, pairs = [], []
            for number in range(rounds):
                begin = time.perf_counter()
                results = _send(client, samples * copies, f"round-{number}")
                speeds.append(len(results) / (time.perf_counter() - begin))
                pairs += [result.timing.pairs for result in results]
    median = statistics.median
    return QueueFigures(CHILDREN, median(speeds), statistics.mean(pairs), watch.peak_mib, median(cold))


def _command(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "groundwire.worker.cli", *words)


def _send(client: Client, jobs: list[Job], trace: str) -> list[Result]:
    """Submit jobs under trace ids of their own, so that none is known already, and wait for all results."""
    renamed = [job.model_copy(update={"trace_id": f"{trace}-{place}"}) for place, job in enumerate(jobs)]
    submitted = [client.submit(job) for job in renamed]
    return [client.wait(sent.trace_id, sent.job_id, RESULT_SECONDS) for sent in submitted]


class _MemoryWatch:
    """Reads the memory of all scoring processes under this one until it is left; keeps the highest value of one."""

    def __init__(self) -> None:
        self.peak_mib: float | None = None
        self._done = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(SAMPLE_SECONDS):
            for pid in _grandchildren(os.getpid()):
                found = pss_mib(pid)
                if found is not None:
                    self.peak_mib = max(found, self.peak_mib or 0.0)


def _grandchildren(pid: int) -> list[int]:
    """Scoring processes: they are started by the worker, which is started by this process."""
    return [grandchild for child in _children(pid) for grandchild in _children(child)]


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in _words(task / "children")]
    except OSError:
        return []  # it has ended, or there is no /proc


def _words(path: Path) -> list[str]:
    return path.read_text().split()
