"""The scorer configurations as a deployment's settings make them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.worker.judge.prompts import prompts_sha256
from groundwire.worker.scoring.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.schemas import ProfileName
    from groundwire.worker.scoring.profiles import Profile
    from groundwire.worker.settings import WorkerSettings


def configured_profiles(settings: WorkerSettings) -> Mapping[ProfileName, Profile]:
    """Return every profile with the numbers that the settings give it."""
    return {
        name: replace(
            profile,
            exhaustive=settings.exhaustive,
            judging=profile.judging
            and replace(profile.judging, model=settings.judge_model, prompts_sha256=prompts_sha256()),
        )
        .with_limits(
            min_context_chars=settings.min_context_chars,
            min_completion_tokens=settings.min_completion_tokens,
            min_sentence_words=settings.min_sentence_words,
        )
        .with_grounding(mode=settings.groundedness_mode, min_sentence_chars=settings.groundedness_min_chars)
        for name, profile in PROFILES.items()
    }
