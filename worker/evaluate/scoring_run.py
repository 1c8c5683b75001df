"""What scoring the rows of labelled sets gives: value and verdict of each, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.schemas import MetricName, MetricResult, Result
from groundwire.worker.evaluate.scoring_pool import score_jobs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.worker.evaluate.dataset import LabelledRow
    from groundwire.worker.evaluate.scoring_pool import Outcome
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
    """Score rows, see `score_jobs`; the settings are those of `for_measuring`."""
    return scored_rows(rows, score_jobs([row.job for row in rows], settings, processes))


def scored_rows(rows: Sequence[LabelledRow], outcomes: Iterator[Outcome]) -> Iterator[ScoredRow]:
    """Put rows and what became of their jobs together, in their order."""
    for row, outcome in zip(rows, outcomes, strict=True):
        error = None if outcome.result is None else outcome.result.metrics[MetricName.FAITHFULNESS].error
        yield ScoredRow(row, outcome.result, outcome.problem if error is None else error.message)
