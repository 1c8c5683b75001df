"""Settings of `groundwire combine`, from the environment."""

from __future__ import annotations

from pydantic import Field

from groundwire.client.settings import LOG_LEVEL_HELP, ClientSettings, LogLevel
from groundwire.client.weights import WEIGHTS_HELP, Weights, default_weights


class CombineSettings(ClientSettings):
    """How results are joined. Each field is the variable GROUNDWIRE_<FIELD IN CAPITALS>."""

    weights: Weights = Field(default_factory=default_weights, description=WEIGHTS_HELP)
    combine_wait_s: float = Field(
        30.0, ge=0, le=24 * 3600, description="seconds to wait for the other results of a span, from its first one on"
    )
    combine_ttl_s: int = Field(
        24 * 3600,
        ge=1,
        le=365 * 24 * 3600,
        description="seconds for which a later result still changes a published composite",
    )
    max_composites: int = Field(
        100_000, ge=1, le=100_000_000, description="composites to keep, roughly; the oldest go first"
    )
    log_level: LogLevel = Field("INFO", description=LOG_LEVEL_HELP)
