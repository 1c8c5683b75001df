"""The judge's prompts: text files beside the code, one for each step."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from groundwire.schemas import JudgeStep
from groundwire.worker.judge.ports import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

REPAIR = "repair"
"""The prompt that asks for the same again."""


def messages_for(step: JudgeStep, given: Mapping[str, object]) -> list[Message]:
    """Ask for a step.

    Args:
        step: The step.
        given: What it works on. It goes as JSON, so that no text can pass for an end of itself.
    """
    return [
        Message(role="system", content=_prompt(step.value)),
        Message(role="user", content=json.dumps(given, ensure_ascii=False, indent=1)),
    ]


def repair_for(response: str, problem: str) -> list[Message]:
    """Ask for the same again.

    Args:
        response: What came.
        problem: Why it can't be used.
    """
    return [
        Message(role="assistant", content=response),
        Message(role="user", content=_prompt(REPAIR).replace("{problem}", problem)),
    ]


@cache
def prompts_sha256() -> str:
    """Hash of all prompts: verdicts compare only where it is the same."""
    texts = [_prompt(name) for name in (*JudgeStep, REPAIR)]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


@cache
def _prompt(name: str) -> str:
    return (
        resources.files("groundwire.worker.judge").joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8").strip()
    )
