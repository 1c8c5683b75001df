"""What scoring gave for the rows of a set: a table of scores, and which of them are missing, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groundwire.schemas import MetricName, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from groundwire.schemas import MetricResult, Scorer
    from groundwire.worker.evaluate.scoring_pool import Outcome
    from groundwire.worker.gate.rows import AnswerRow, AnswerSet

TRIAD = (MetricName.FAITHFULNESS, MetricName.CONTEXT_RELEVANCE, MetricName.ANSWER_RELEVANCE)
"""The RAG triad: is the answer supported, was the right context retrieved, is the question answered?"""

TRIAD_NAME = "triad"
"""What the mean of these three is called beside the metrics."""


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """A row with what became of it.

    Attributes:
        row: The row.
        outcome: Its result, or why there is none.
    """

    row: AnswerRow
    outcome: Outcome

    def metric(self, name: str) -> MetricResult | None:
        """Give a metric's result; None where the row has no result or the workers left the metric out."""
        return None if self.outcome.result is None else self.outcome.result.metrics.get(name)

    def problem(self, name: str) -> str | None:
        """Say why a metric is in error, without any text of the row; None where it is not."""
        metric = self.metric(name)
        if metric is None:
            return self.outcome.problem or f"the result has no {name}; is the worker of this release?"
        return None if metric.error is None else metric.error.message


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """A set with its scores.

    Attributes:
        answers: The set.
        scored: Its rows, in order.
    """

    answers: AnswerSet
    scored: tuple[ScoredAnswer, ...]

    @classmethod
    def of(cls, answers: AnswerSet, outcomes: Iterable[Outcome]) -> ScoredSet:
        """Put rows and outcomes together, in their order."""
        pairs = zip(answers.rows, outcomes, strict=True)
        return cls(answers, tuple(ScoredAnswer(row, outcome) for row, outcome in pairs))

    @property
    def scorer(self) -> Scorer | None:
        """What scored the rows; None where none has a result."""
        results = (one.outcome.result for one in self.scored)
        return next((result.scorer for result in results if result is not None and result.scorer is not None), None)

    @property
    def rows_in_error(self) -> tuple[ScoredAnswer, ...]:
        """The rows of which a metric ended in an error, or that have no result at all."""
        names = self.answers.metrics
        return tuple(one for one in self.scored if any(one.problem(name) is not None for name in names))

    def scores(self) -> NDArray[np.float64]:
        """Give the scores [rows, metrics], in 0..1; NaN where there is none."""
        names = self.answers.metrics
        table = [[_score(one.metric(name)) for name in names] for one in self.scored]
        return np.array(table, dtype=np.float64).reshape(len(self.scored), len(names))

    def skips(self, name: str) -> dict[str, int]:
        """Count the rows in which a metric was skipped, by the reason, the most frequent first."""
        found = (one.metric(name) for one in self.scored)
        reasons = Counter(m.skip_reason.value for m in found if m is not None and m.skip_reason is not None)
        return dict(reasons.most_common())

    def errors(self, name: str) -> int:
        """Count the rows in which a metric ended in an error."""
        return sum(one.problem(name) is not None for one in self.scored)


def triad_of(names: Sequence[str], means: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Give the mean of the triad's three [...] out of means [..., metrics]; None where not all three are computed."""
    if not set(TRIAD) <= set(names):
        return None
    triad: NDArray[np.float64] = means[..., [list(names).index(name) for name in TRIAD]].mean(axis=-1)
    return triad


def _score(metric: MetricResult | None) -> float:
    if metric is None or metric.score is None or metric.status in (Status.SKIPPED, Status.ERROR):
        return float("nan")
    return metric.score
