"""Computes the judged metrics of a job: asks for all of them side by side, within one budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import JudgeError, MetricError, MetricResult, Status
from groundwire.worker.judge.asked_questions import AskedQuestions
from groundwire.worker.judge.budget import Budget
from groundwire.worker.judge.claim_faithfulness import ClaimFaithfulness
from groundwire.worker.judge.conversation import Conversation
from groundwire.worker.judge.relevant_contexts import RelevantContexts
from groundwire.worker.judge.side_by_side import side_by_side
from groundwire.worker.scoring.outcome import skipped
from groundwire.worker.scoring.skip_rules import first_that_applies

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from groundwire.schemas import MetricName
    from groundwire.worker.judge.budget import Limits
    from groundwire.worker.judge.metric import JudgedMetric
    from groundwire.worker.judge.ports import Judge
    from groundwire.worker.scoring.case import Case

KINDS: tuple[type[JudgedMetric], ...] = (ClaimFaithfulness, AskedQuestions, RelevantContexts)


class LlmMetrics:
    """Metrics by one judge.

    Args:
        judge: The judge.
        limits: What it may take for one job.
        concurrency: Metrics for which it is asked at the same time.
    """

    def __init__(self, judge: Judge, limits: Limits, concurrency: int) -> None:
        self._judge = judge
        self._limits = limits
        self._concurrency = concurrency

    def compute(self, case: Case, names: Collection[MetricName]) -> Mapping[MetricName, MetricResult]:
        """Compute metrics of a job; the judge is asked for none that a rule skips."""
        budget = Budget(self._limits)
        results: dict[MetricName, MetricResult] = {}
        metrics: list[JudgedMetric] = []
        for kind in KINDS:
            if kind.name not in names:
                continue
            rule = first_that_applies(kind.rules(case), case)
            if rule is None:
                metrics.append(kind(case, Conversation(self._judge, budget)))
            else:
                results[kind.name] = skipped(case, kind.name, rule)
        errors = side_by_side([metric.ask for metric in metrics], self._concurrency)
        for metric, error in zip(metrics, errors, strict=True):
            if error is None:
                results[metric.name] = metric.result()
            elif isinstance(error, JudgeError):
                results[metric.name] = _failed(metric, error)
            else:
                raise error
        return results


def _failed(metric: JudgedMetric, error: JudgeError) -> MetricResult:
    """Say why there is no score, with everything that the judge said so far."""
    return MetricResult(
        score=None,
        status=Status.ERROR,
        error=MetricError(code=error.fault.value, message=str(error)),
        reason=f"The judge gave no verdict; {error}.",
        details=metric.details,
    )
