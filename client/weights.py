"""The weights of the composite as a setting: `faithfulness=0.4,groundedness=0.2`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from groundwire.schemas import DEFAULT_WEIGHTS, WeightsError, composite

WEIGHTS_HELP = (
    "weights of the metrics in the composite, as in faithfulness=0.4,groundedness=0.2; only their proportions count, "
    "and a metric that is not named has none"
)


def _read(value: Any) -> Any:  # noqa: ANN401 - the value is whatever was given
    """Read weights as environment variables hold them; another type is pydantic's to judge."""
    if not isinstance(value, str):
        return value
    weights: dict[str, float] = {}
    for item in value.split(","):
        name, _, number = (part.strip() for part in item.rpartition("="))
        if not name:
            raise ValueError("is no list of names with their weights")
        if name in weights:
            raise ValueError(f"names {name} twice")
        try:
            weights[name] = float(number)
        except ValueError:
            raise ValueError(f"the weight of {name} is no number") from None
    return weights


def _check(weights: dict[str, float]) -> dict[str, float]:
    try:
        composite({}, weights)
    except WeightsError as error:
        raise ValueError(str(error)) from None
    return weights


def default_weights() -> dict[str, float]:
    """A copy of the default weights, for a setting that nobody has set."""
    return dict(DEFAULT_WEIGHTS)


Weights = Annotated[dict[str, float], BeforeValidator(_read), AfterValidator(_check)]
"""Type of a setting: metric name to weight, at least one of them above zero."""
