"""Settings of producers and consumers, from the environment."""

from __future__ import annotations

import os
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator
from redis import ConnectionPool

from groundwire.schemas import Limits, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

ENV_PREFIX = "GROUNDWIRE_"

NEAR_MISS = 0.8
"""Similarity (0..1) from which an unknown variable is taken for a misspelt setting: one letter wrong in five."""

SECRET_FIELDS = frozenset({"redis_url", "judge_url", "judge_api_key"})
"""Settings whose value may hold a password and is never shown."""

SHOWN_CHARS = 40
"""Length at which a wrong value is cut in an error message."""

DEFAULTS = Limits()


class OnFull(StrEnum):
    """What `submit` does with a job whose stream is full."""

    REFUSE = "refuse"
    DROP = "drop"


LogLevel = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(lambda v: v.upper() if isinstance(v, str) else v)
]
"""Type of the setting `log_level` of the commands that run for long."""

LOG_LEVEL_HELP = "DEBUG, INFO, WARNING or ERROR"


class ClientSettings(BaseModel):
    """Where the queue is and what a job may be. Each field is the variable GROUNDWIRE_<FIELD IN CAPITALS>."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    redis_url: str = Field(
        "redis://localhost:6379/0",
        repr=False,
        description="the Redis or Valkey server, as redis://[[user]:password@]host:port/db, or rediss:// for TLS",
    )
    prefix: str = Field(
        "{groundwire}:",
        pattern=r"^[^{}\s]*\{[^{}\s]+\}[^{}\s]*$",
        max_length=64,
        description="start of every key; the part in braces keeps the keys in one slot of a Redis cluster",
    )
    max_job_bytes: int = Field(
        DEFAULTS.max_job_bytes, ge=1024, le=512 * 1024 * 1024, description="largest job, in bytes of its JSON"
    )
    max_chunks: int = Field(DEFAULTS.max_chunks, ge=1, le=100_000, description="most chunks in a job's contexts")
    max_response_chars: int = Field(
        DEFAULTS.max_response_chars, ge=1, le=100_000_000, description="longest response_text, in characters"
    )
    max_backlog: int = Field(
        0,
        ge=0,
        le=1_000_000_000,
        description="jobs on a stream, those in work too, from which on submit takes no more for it; 0: no bound",
    )
    on_full: OnFull = Field(
        OnFull.REFUSE, description="refuse: submit raises an error when the stream is full; drop: it drops and counts"
    )

    @property
    def limits(self) -> Limits:
        """How large a job may be."""
        return Limits(self.max_job_bytes, self.max_chunks, self.max_response_chars)

    @field_validator("redis_url")
    @classmethod
    def _is_redis_url(cls, url: str) -> str:
        # urllib's messages can quote a part of the password, so none of them is passed on.
        try:
            usable = url.startswith(("redis://", "rediss://")) and ConnectionPool.from_url(url) is not None
        except (ValueError, TypeError):
            usable = False
        if not usable:
            raise ValueError("is not such a URL; characters like / or # in a password are written as %2F and %23")
        return url

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read the settings from environment variables; an empty one counts as unset.

        Args:
            environ: The variables; the process's own when null.

        Raises:
            SettingsError: A value that can't be used, or a variable that looks like a misspelt setting. It names the
                variable and what is allowed.
        """
        environ = os.environ if environ is None else environ
        given = {k.removeprefix(ENV_PREFIX): v for k, v in environ.items() if k.startswith(ENV_PREFIX) and v != ""}
        names = {field.upper(): field for field in cls.model_fields}
        for name in sorted(given.keys() - names):
            near = get_close_matches(name, names, n=1, cutoff=NEAR_MISS)
            if near:
                problem = f"{ENV_PREFIX}{name} is not a setting; did you mean {ENV_PREFIX}{near[0]}?"
                raise SettingsError(problem)
        values = {names[name]: value for name, value in given.items() if name in names}
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise SettingsError(_explain(cls, error.errors(include_url=False)[0], values)) from None


def _explain(settings: type[ClientSettings], error: ErrorDetails, values: Mapping[str, str]) -> str:
    """One line: the variable, its value, what is wrong and what is allowed."""
    field = str(error["loc"][0])
    value = values.get(field, "")
    shown = "" if field in SECRET_FIELDS else f"={value if len(value) <= SHOWN_CHARS else value[:SHOWN_CHARS] + '…'}"
    problem = error["msg"].removeprefix("Value error, ")
    allowed = f"{_allowed(settings, field)}: {settings.model_fields[field].description}"
    return f"{ENV_PREFIX}{field.upper()}{shown}: {problem[0].lower()}{problem[1:]}. {allowed}"


def _allowed(settings: type[ClientSettings], field: str) -> str:
    """What kind of value a setting takes, with its range."""
    schema: dict[str, Any] = settings.model_json_schema()["properties"][field]
    kind = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}.get(
        schema.get("type", ""), "a text"
    )
    if "minimum" in schema and "maximum" in schema:
        return f"It takes {kind} from {schema['minimum']} to {schema['maximum']}"
    return f"It takes {kind}"
