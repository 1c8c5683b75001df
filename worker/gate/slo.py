"""What a release has to reach, and who is told when it does not: the file slo.toml."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from groundwire.schemas import MetricName, SettingsError
from groundwire.schemas.job import shown_name
from groundwire.worker.gate.scored import TRIAD_NAME

SLO_NAMES = (*(name.value for name in MetricName), TRIAD_NAME)
"""What may have a minimum."""

GITHUB_API = "https://api.github.com"

FROM_ENVIRONMENT = "env:"
"""What a URL begins with that stands in an environment variable: a webhook's URL is a secret."""

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_PLAIN_TOKEN = re.compile(r"[!-~]+")
"""What a header may hold without being read in another way: printable ASCII and no blank."""

Minimum = Annotated[float, Field(strict=True, ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class OnRegression(_Part):
    """Who is told when the gate fails.

    Attributes:
        webhook: URL that takes the summary as JSON.
        slack: URL that takes it as a message in Slack's format.
        github_repository: `owner/name` of the repository that an issue is opened in.
        github_api: Base URL of GitHub's API, for servers of one's own.
        github_token_env: The environment variable that holds the token.
    """

    webhook: str | None = Field(None, repr=False)
    slack: str | None = Field(None, repr=False)
    github_repository: str | None = None
    github_api: str = GITHUB_API
    github_token_env: str = "GITHUB_TOKEN"  # noqa: S105 - the name of the variable, not the token

    @field_validator("webhook", "slack", "github_api")
    @classmethod
    def _is_web_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        url = _from_environment(value)
        if not _is_web_url(url):
            raise ValueError("is no http or https URL; a URL kept secret is written env:NAME_OF_THE_VARIABLE")
        return url

    @field_validator("github_repository")
    @classmethod
    def _is_repository(cls, value: str | None) -> str | None:
        if value is not None and not _REPOSITORY.fullmatch(value):
            raise ValueError("is no repository; it takes owner/name")
        return value

    @property
    def tells_somebody(self) -> bool:
        """Whether there is anybody to tell."""
        return any((self.webhook, self.slack, self.github_repository))

    @property
    def github_token(self) -> str | None:
        """The token; None where no issue is wanted.

        Raises:
            SettingsError: The variable is not set, or holds what no header can.
        """
        if self.github_repository is None:
            return None
        # a secret that was read from a file ends with a line break
        token = os.environ.get(self.github_token_env, "").strip()
        if not _PLAIN_TOKEN.fullmatch(token):
            fault = "holds a blank or a letter that no token has" if token else "is not set"
            problem = f"on_regression.github_token_env: the variable {self.github_token_env} {fault}"
            raise SettingsError(f"{problem}; set it to a token that may open issues in {self.github_repository}")
        return token


class Slo(_Part):
    """Service level objectives of a set of answers.

    Attributes:
        minimum: The lowest mean that passes, 0..1, by the name of a metric or `triad`.
        on_regression: Who is told when the gate fails.
    """

    minimum: dict[str, Minimum] = Field(default_factory=dict)
    on_regression: OnRegression = Field(default_factory=OnRegression)

    @field_validator("minimum")
    @classmethod
    def _has_known_names(cls, value: dict[str, float]) -> dict[str, float]:
        unknown = sorted(value.keys() - set(SLO_NAMES))
        if unknown:
            raise ValueError(f"{shown_name(unknown[0])} is no metric; it takes {', '.join(SLO_NAMES)}")
        return value

    @classmethod
    def read(cls, path: str) -> Self:
        """Read the file.

        Raises:
            SettingsError: It can't be read, or holds what it may not; file and field are named.
        """
        if not path:
            # that of a variable that is not set, which must not switch the gate off
            raise SettingsError("--slo: is empty; name a TOML file, or leave the flag out")
        try:
            slo = cls.model_validate(tomllib.loads(Path(path).read_text("utf-8-sig")))
        except OSError as error:
            raise SettingsError(f"--slo {path}: {error.strerror}; name a TOML file") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise SettingsError(f"--slo {path}: is no TOML file: {error}") from None
        except ValidationError as error:
            raise SettingsError(f"--slo {path}: {_described(error)}") from None
        # a token that is missing is better known now than when there is something to tell
        _ = slo.on_regression.github_token
        return slo


def _from_environment(value: str) -> str:
    if not value.startswith(FROM_ENVIRONMENT):
        return value
    name = value.removeprefix(FROM_ENVIRONMENT)
    if not os.environ.get(name):
        raise ValueError(f"the variable {name} is not set")
    return os.environ[name]


def _is_web_url(url: str) -> bool:
    """Tell whether a URL names a scheme, a host, and a port that there is, without a blank."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and port != 0
        and url.isprintable()
        and " " not in url
    )


def _described(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = [str(part) for part in fault["loc"]]
    field = ".".join(place)
    if fault["type"] == "extra_forbidden":
        known = ", ".join(OnRegression.model_fields) if len(place) > 1 else "[minimum] and [on_regression]"
        return f"{field}: is not known; it takes {known}, see docs/evaluate.md"
    if fault["type"] == "dict_type":
        return f"{field}: is no table; it is written [{field}], with a line for each metric"
    if len(place) > 1 and place[0] == "minimum":
        value = fault["input"]
        found = f"{value:g}" if type(value) in (int, float) else "what stands there"
        return f"{field}: {found} is no number from 0 to 1"
    return f"{field}: {fault['msg'].removeprefix('Value error, ')}"
