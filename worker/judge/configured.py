"""The judge that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.worker.judge.budget import Limits
from groundwire.worker.judge.checks import check_judge
from groundwire.worker.judge.llm_metrics import LlmMetrics

if TYPE_CHECKING:
    from groundwire.worker.settings import WorkerSettings


def configured_judge(settings: WorkerSettings) -> LlmMetrics | None:
    """Make what asks the judge; None where the settings name none.

    Raises:
        SettingsError: The settings don't fit each other, or the package of the client is missing.
    """
    check_judge(settings)
    if not settings.judge_url:
        return None
    # 0.8 s and 37 MiB, for those alone who have a judge
    from groundwire.worker.judge.openai_judge import OpenAIJudge  # noqa: PLC0415

    judge = OpenAIJudge(settings.judge_url, settings.judge_model, settings.judge_api_key.get_secret_value())
    limits = Limits(
        max_requests=settings.judge_max_requests,
        max_tokens=settings.judge_max_tokens,
        budget_s=settings.judge_budget_s,
        timeout_s=settings.judge_timeout_s,
        retries=settings.judge_retries,
    )
    return LlmMetrics(judge, limits, settings.judge_concurrency)
