"""Settings of judge mode. It is off unless both the endpoint and the model are set."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from groundwire.client import ClientSettings


class JudgeSettings(ClientSettings):
    """Which LLM judges, and what it may take. Each field is the variable GROUNDWIRE_<FIELD IN CAPITALS>."""

    judge_url: str = Field(
        "",
        repr=False,
        description="base URL of an OpenAI-compatible endpoint, as in https://host/v1, that gets the texts of jobs of "
        "profile judge; unset: such jobs are not judged",
    )
    judge_model: str = Field("", max_length=256, description="the model there, as the endpoint calls it")
    judge_api_key: SecretStr = Field(SecretStr(""), description="the endpoint's key; never logged")
    judge_timeout_s: float = Field(
        60.0, ge=0.1, le=3600, description="seconds without an answer after which a request to the judge has failed"
    )
    judge_budget_s: float = Field(
        180.0,
        ge=0.1,
        le=24 * 3600,
        description="seconds after which no more is asked for a job; has to be below GROUNDWIRE_JOB_TIMEOUT_S",
    )
    judge_retries: int = Field(
        2, ge=0, le=10, description="times that a request is sent again after a fault that passes: 429, 5xx, no answer"
    )
    judge_max_requests: int = Field(
        24, ge=1, le=1000, description="requests for one job at most, those that are sent again among them"
    )
    judge_max_tokens: int = Field(
        200_000,
        ge=1,
        le=100_000_000,
        description="tokens read and written by the judge from which on no more is asked for a job",
    )
    judge_concurrency: int = Field(
        3, ge=1, le=3, description="metrics of a job for which the judge is asked at the same time"
    )

    @field_validator("judge_api_key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr) -> SecretStr:
        if not all("!" <= character <= "~" for character in key.get_secret_value()):
            raise ValueError("has a character that no key has, such as a blank or a line end")
        return key

    @field_validator("judge_url")
    @classmethod
    def _is_base_url(cls, url: str) -> str:
        # the URL may hold a secret, so no message quotes it
        try:
            parts = urlsplit(url)
            usable = not url or (parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc)
        except ValueError:
            usable = False
        if not usable:
            raise ValueError("is not such a URL; a key goes into GROUNDWIRE_JUDGE_API_KEY, not into the URL")
        return url
