"""Whether the settings of judge mode can be used. Light, so that a worker can look before it forks."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from groundwire.schemas import SettingsError

if TYPE_CHECKING:
    from groundwire.worker.settings import WorkerSettings

CLIENT = "openai"
"""The package of the endpoint's client; an extra of its own."""


def check_judge(settings: WorkerSettings) -> None:
    """See that the settings of judge mode fit each other, and that what they need is installed.

    Raises:
        SettingsError: They don't, or it isn't.
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
    if settings.judge_url and find_spec(CLIENT) is None:
        advice = "install it with: pip install 'groundwire[judge]', or unset the variable"
        raise SettingsError(f"GROUNDWIRE_JUDGE_URL needs the package {CLIENT}, which is not installed; {advice}")
