"""Scores the rows of labelled sets, in this process or over several, and gives them back in their order."""

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
from groundwire.schemas import GroundwireError, MetricName, MetricResult, Result
from groundwire.worker.scorer import JobScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundwire.schemas import Job
    from groundwire.worker.evaluate.dataset import LabelledRow
    from groundwire.worker.settings import WorkerSettings

MEASURED = {
    "min_context_chars": 0,
    "min_completion_tokens": 0,
    "min_sentence_words": 1,
    "exhaustive": True,
    "metrics": (MetricName.FAITHFULNESS,),
    "include_text": True,
    "max_result_bytes": 512 * 1024 * 1024,
}
"""Settings under which accuracy is measured: on the verdict itself. No row is skipped for its size, every sentence is
held against all of its premises, so that its value is the highest there is, and no result is cut short."""


class ProcessEndedError(GroundwireError):
    """A scoring process is gone before its work was done."""


class Scorer(Protocol):
    """What scores a job, see `groundwire.worker.scorer.JobScorer`."""

    def score(self, job: Job) -> Result:
        """Compute the job's metrics."""
        ...


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A row with what became of it.

    Attributes:
        row: The row.
        result: The scorer's result; None where it failed.
        problem: Why the row has no verdict, without any text of it; None where it has one.
    """

    row: LabelledRow
    result: Result | None
    problem: str | None = None

    @property
    def metric(self) -> MetricResult | None:
        """Faithfulness of the row; None where scoring failed."""
        return None if self.result is None else self.result.metrics[MetricName.FAITHFULNESS]

    @property
    def value(self) -> float:
        """The lowest probability of entailment among its scored sentences, 0..1; 0 where there is nothing to score."""
        sentences = self.metric.sentence_results if self.metric else ()
        return min((s.entailment_prob for s in sentences if s.entailment_prob is not None), default=0.0)

    @property
    def predicted(self) -> bool:
        """The verdict as shipped: whether there are scored sentences, and each has the label entailment."""
        return self.metric is not None and 0 < self.metric.total_qualifying == self.metric.entailed_count

    @property
    def skip_reason(self) -> str | None:
        """Why there was nothing to score; None where there was."""
        reason = self.metric.skip_reason if self.metric else None
        return None if reason is None else reason.value


def for_measuring(settings: WorkerSettings) -> WorkerSettings:
    """Give the settings with those of `MEASURED`, and one thread for a scoring process unless they say otherwise."""
    return settings.model_copy(update=MEASURED | {"threads": settings.threads or 1})


def score_rows(rows: Sequence[LabelledRow], settings: WorkerSettings, processes: int) -> Iterator[ScoredRow]:
    """Score rows with the models that the settings name, which are loaded when the first row is asked for.

    Args:
        rows: The rows.
        settings: How to score, see `for_measuring`.
        processes: How many processes score. 1: this one, no other is started.

    Returns:
        The rows in their order, whichever process was first. How many there are changes no figure.

    Raises:
        ModelError: A model or a package that it needs is missing or altered.
        ProcessEndedError: A process was ended from outside, as the system does when memory runs out.
    """
    processes = min(processes, len(rows))
    if processes <= 1:
        yield from score_with(rows, lambda: JobScorer.load(settings))
        return
    # built once here, and not by all of them at the same time
    resolve(settings.model)
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin_process, (settings,))
    try:
        yield from pool.map(_score_in_process, rows)
    except BrokenProcessPool:
        problem = "a scoring process was ended from outside, as happens when memory runs out"
        raise ProcessEndedError(f"{problem}; use fewer --processes, or a --sample") from None
    finally:
        pool.shutdown(cancel_futures=True)


def score_with(rows: Sequence[LabelledRow], load: Callable[[], Scorer]) -> Iterator[ScoredRow]:
    """Score rows in this process, one after another, with the scorer that `load` gives."""
    scorer = None
    for row in rows:
        scorer = scorer or load()
        yield _scored(row, scorer)


def _scored(row: LabelledRow, scorer: Scorer) -> ScoredRow:
    try:
        result = scorer.score(row.job)
    except Exception as error:  # noqa: BLE001 - whatever a row does to the scorer, the others are scored
        # Only errors of our own have messages that are known to hold no text of the row.
        problem = str(error) if isinstance(error, GroundwireError) else f"{type(error).__name__} in the scorer"
        return ScoredRow(row, None, problem)
    metric = result.metrics[MetricName.FAITHFULNESS]
    return ScoredRow(row, result, None if metric.error is None else metric.error.message)


class _Process:
    """What a scoring process keeps from row to row."""

    settings: WorkerSettings | None = None
    scorer: JobScorer | None = None


def _begin_process(settings: WorkerSettings) -> None:
    """Prepare a scoring process. Its models wait for the first row, as an error here could not reach the user."""
    # Ctrl-C goes to the whole group; the parent ends its processes itself
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _Process.settings = settings


def _end_with_parent() -> None:
    """Wait until the parent is gone, killed perhaps, and end this process: nothing else would."""
    parent: Any = parent_process()
    parent.join()
    os._exit(1)


def _score_in_process(row: LabelledRow) -> ScoredRow:
    if _Process.scorer is None and _Process.settings is not None:
        _Process.scorer = JobScorer.load(_Process.settings)
    if _Process.scorer is None:
        raise GroundwireError("a scoring process was not prepared")
    return _scored(row, _Process.scorer)
