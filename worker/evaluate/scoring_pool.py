"""Scores jobs, in this process or over several, and gives what became of them in their order."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from groundwire.models.catalogue import resolve
from groundwire.schemas import GroundwireError
from groundwire.worker.scorer import JobScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundwire.schemas import Job, Result
    from groundwire.worker.settings import WorkerSettings


class ProcessEndedError(GroundwireError):
    """A scoring process is gone before its work was done."""


class Scorer(Protocol):
    """What scores a job, see `groundwire.worker.scorer.JobScorer`."""

    def score(self, job: Job) -> Result:
        """Compute the job's metrics."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job.

    Attributes:
        result: The scorer's result; None where it failed.
        problem: Why there is no result, without any text of the job; None where there is one.
    """

    result: Result | None
    problem: str | None = None


def score_jobs(jobs: Sequence[Job], settings: WorkerSettings, processes: int) -> Iterator[Outcome]:
    """Score jobs with the models that the settings name, which are loaded when the first outcome is asked for.

    Args:
        jobs: The jobs.
        settings: How to score.
        processes: How many processes score. 1: this one, no other is started.

    Returns:
        The outcomes in the order of the jobs, whichever process was first. How many there are changes no score.

    Raises:
        ModelError: A model or a package that it needs is missing or altered.
        ProcessEndedError: A process was ended from outside, as the system does when memory runs out.
    """
    processes = min(processes, len(jobs))
    if processes <= 1:
        yield from score_with(jobs, lambda: JobScorer.load(settings))
        return
    # built once here, and not by all of them at the same time
    resolve(settings.model)
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin_process, (settings,))
    try:
        yield from pool.map(_score_in_process, jobs)
    except BrokenProcessPool:
        problem = "a scoring process was ended from outside, as happens when memory runs out"
        raise ProcessEndedError(f"{problem}; use fewer --processes, or a --sample") from None
    finally:
        pool.shutdown(cancel_futures=True)


def score_with(jobs: Sequence[Job], load: Callable[[], Scorer]) -> Iterator[Outcome]:
    """Score jobs in this process, one after another, with the scorer that `load` gives."""
    scorer = None
    for job in jobs:
        scorer = scorer or load()
        yield _scored(job, scorer)


def _scored(job: Job, scorer: Scorer) -> Outcome:
    try:
        return Outcome(scorer.score(job))
    except Exception as error:  # noqa: BLE001 - whatever a job does to the scorer, the others are scored
        # Only errors of our own have messages that are known to hold no text of the job.
        problem = str(error) if isinstance(error, GroundwireError) else f"{type(error).__name__} in the scorer"
        return Outcome(None, problem)


class _Process:
    """What a scoring process keeps from job to job."""

    settings: WorkerSettings | None = None
    scorer: JobScorer | None = None


def _begin_process(settings: WorkerSettings) -> None:
    """Prepare a scoring process. Its models wait for the first job, as an error here could not reach the user."""
    # Ctrl-C goes to the whole group; the parent ends its processes itself
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _Process.settings = settings


def _end_with_parent() -> None:
    """Wait until the parent is gone, killed perhaps, and end this process: nothing else would."""
    parent: Any = parent_process()
    parent.join()
    os._exit(1)


def _score_in_process(job: Job) -> Outcome:
    if _Process.scorer is None and _Process.settings is not None:
        _Process.scorer = JobScorer.load(_Process.settings)
    if _Process.scorer is None:
        raise GroundwireError("a scoring process was not prepared")
    return _scored(job, _Process.scorer)
