"""What judging needs from the outside: a large language model that answers messages in JSON of a given shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.schemas import JudgeStep


class Message(TypedDict):
    """A message of a chat; the role is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one question may take.

    Attributes:
        requests: HTTP requests at most, from 1.
        timeout_s: Seconds until each of them has failed.
    """

    requests: int
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Reply:
    """A response.

    Attributes:
        text: What the model wrote, as it came; empty where it wrote nothing.
        finish_reason: Why it stopped, as the endpoint says.
        prompt_tokens: Tokens that it read; None where the endpoint doesn't say.
        completion_tokens: Tokens that it wrote, likewise.
        requests: HTTP requests that were sent.
    """

    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    requests: int


class Judge(Protocol):
    """A large language model behind an endpoint. Several threads may ask at once."""

    @property
    def model(self) -> str:
        """Name of the model."""
        ...

    def complete(
        self, step: JudgeStep, messages: Sequence[Message], schema: Mapping[str, Any], allowance: Allowance
    ) -> Reply:
        """Ask the model.

        Args:
            step: What it is asked for.
            messages: The chat so far.
            schema: JSON Schema of the response that is wanted. What comes need not follow it.
            allowance: What this may take.

        Raises:
            JudgeError: The endpoint does not answer, or refuses.
        """
        ...
