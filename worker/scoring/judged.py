"""The metrics for which profile `judge` asks an LLM, where the deployment has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import JudgeFault, MetricError, MetricName, MetricResult, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.ports import JudgedMetrics

JUDGED = frozenset({MetricName.FAITHFULNESS, MetricName.ANSWER_RELEVANCE, MetricName.CONTEXT_PRECISION})

NOT_CONFIGURED = (
    "profile judge asks a large language model, and this deployment has none; set GROUNDWIRE_JUDGE_URL and "
    "GROUNDWIRE_JUDGE_MODEL, or choose another profile"
)


def judged_metrics(
    case: Case, judged: JudgedMetrics | None, asked: Collection[MetricName]
) -> Mapping[MetricName, MetricResult]:
    """Compute those of the metrics for which the job's profile asks an LLM; the others are not among them.

    Args:
        case: The job.
        judged: Asks the LLM; None: the deployment has none, and each such metric is an error.
        asked: Metrics that the job asks for.
    """
    if case.profile.judging is None:
        return {}
    names = JUDGED.intersection(asked)
    if judged is not None:
        return judged.compute(case, names)
    error = MetricError(code=JudgeFault.NOT_CONFIGURED.value, message=NOT_CONFIGURED)
    return {
        name: MetricResult(score=None, status=Status.ERROR, error=error, reason="This deployment has no judge.")
        for name in names
    }
