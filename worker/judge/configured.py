"""The judge that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import SettingsError
from groundwire.worker.judge.budget import Limits
from groundwire.worker.judge.llm_metrics import LlmMetrics

if TYPE_CHECKING:
    from groundwire.worker.settings import WorkerSettings


def check_judge(settings: WorkerSettings) -> None:
    """See that the settings of judge mode fit each other.

    Raises:
        SettingsError: They don't.
    """
    if bool(settings.judge_url) != bool(settings.judge_model):
        have, lack = ("URL", "MODEL") if settings.judge_url else ("MODEL", "URL")
        raise SettingsError(
            f"GROUNDWIRE_JUDGE_{have} is set and GROUNDWIRE_JUDGE_{lack} is not; set both, or neither for no judge"
        )
    if settings.judge_url and settings.judge_budget_s >= settings.job_timeout_s:
        raise SettingsError(
            f"GROUNDWIRE_JUDGE_BUDGET_S={settings.judge_budget_s:g}: is not below "
            f"GROUNDWIRE_JOB_TIMEOUT_S={settings.job_timeout_s:g}, after which the job is a dead letter; lower the one "
            "or raise the other"
        )


def configured_judge(settings: WorkerSettings) -> LlmMetrics | None:
    """Make what asks the judge; None where the settings name none.

    Raises:
        SettingsError: The settings don't fit each other, or the package of the client is missing.
    """
    check_judge(settings)
    if not settings.judge_url:
        return None
    try:
        # 0.8 s and 37 MiB, for those alone who have a judge
        from groundwire.worker.judge.openai_judge import OpenAIJudge  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        advice = "install it with: pip install 'groundwire[judge]', or unset the variable"
        raise SettingsError(
            f"GROUNDWIRE_JUDGE_URL needs the package openai, which is not installed; {advice}"
        ) from error
    judge = OpenAIJudge(settings.judge_url, settings.judge_model, settings.judge_api_key.get_secret_value())
    limits = Limits(
        max_requests=settings.judge_max_requests,
        max_tokens=settings.judge_max_tokens,
        budget_s=settings.judge_budget_s,
        timeout_s=settings.judge_timeout_s,
        retries=settings.judge_retries,
    )
    return LlmMetrics(judge, limits, settings.judge_concurrency)
