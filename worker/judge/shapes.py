"""What the judge is to answer at each step, as pydantic reads it and as the endpoint gets it for a JSON Schema."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, StrictBool, StrictInt, StrictStr

from groundwire.schemas import ClaimVerdict  # noqa: TC001 - pydantic reads the annotation at run time


class Shape(BaseModel):
    """A response. Fields that nobody asked for are passed over; the schema allows none, as strict endpoints want it."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"additionalProperties": False})


ShapeT = TypeVar("ShapeT", bound=Shape)


def _trimmed(value: Any) -> Any:  # noqa: ANN401 - the value is whatever the judge wrote
    """Read a verdict as people compare it: trimmed, and without regard to case."""
    return value.strip().lower() if isinstance(value, str) else value


def _not_blank(texts: list[str]) -> list[str]:
    return [text.strip() for text in texts if text.strip()]


Texts = Annotated[list[StrictStr], AfterValidator(_not_blank)]
"""Texts without white space at their ends; blank ones are none."""


class Truths(Shape):
    """What the context states."""

    truths: Texts


class Claims(Shape):
    """What the answer claims."""

    claims: Texts


class Verdict(Shape):
    """What the truths say of a claim, by the claim's index from 0."""

    index: StrictInt
    verdict: Annotated[ClaimVerdict, BeforeValidator(_trimmed)]
    reason: StrictStr


class Verdicts(Shape):
    """A verdict for each claim."""

    verdicts: list[Verdict]


class Reason(Shape):
    """Why a score is what it is."""

    reason: StrictStr


class Questions(Shape):
    """Questions that the answer would answer."""

    questions: Texts


class ContextVerdict(Shape):
    """Whether a context is relevant, by its index in the job."""

    index: StrictInt
    relevant: StrictBool


class ContextVerdicts(Shape):
    """A verdict for each context."""

    verdicts: list[ContextVerdict]
