"""One number for an answer, made of the metrics that have a score."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from groundwire.schemas.errors import WeightsError

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "faithfulness": 0.40,
        "groundedness": 0.20,
        "context_relevance": 0.15,
        "answer_relevance": 0.15,
        "context_precision": 0.10,
        "context_utilisation": 0.0,
        "completeness": 0.0,
    }
)
"""Shares of the metrics in the composite. Faithfulness weighs most: an answer that its context does not support can't
be saved by being relevant. Its 0.40 is the weight that entailment-fraction services give it in theirs. Utilisation has
none, as an answer that needs one chunk of ten is no worse for it, and neither has completeness, so that answers with
and without a reference compare."""


class Composite(BaseModel):
    """The weighted mean of the metrics that have a score.

    Attributes:
        score: 0..1; null when no metric with a weight above zero has a score.
        coverage: Share of the configured weight that had a score, 0..1. A high score with a low coverage says little.
        weights: The weights that were used, over the scored metrics alone; they add up to 1. Empty without a score.
    """

    model_config = ConfigDict(frozen=True)

    score: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] | None
    coverage: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
    weights: dict[str, float]


def composite(scores: Mapping[str, float | None], weights: Mapping[str, float] = DEFAULT_WEIGHTS) -> Composite:
    """Combine scores into one; null scores drop out, and the weight of the others grows in proportion.

    The score is Σ wᵢ·sᵢ ÷ Σ wᵢ over the metrics i that have a score; the coverage is the same Σ wᵢ ÷ the sum of all
    weights. So a metric that was skipped neither punishes nor rewards the answer, and the coverage tells that it is
    missing. Scaling all weights changes nothing, and the score lies between the lowest and the highest part.

    Args:
        scores: Metric name to score in 0..1, or null where it has none. The scores may come from any system.
        weights: Metric name to weight, zero or more. A metric without a score counts against the coverage.

    Raises:
        WeightsError: a weight is negative or not finite, all are zero, a score is outside 0..1, or one has no weight.
    """
    for name, weight in weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise WeightsError(f"weight of {name}: {weight} is not a finite number of zero or more")
    largest = max(weights.values(), default=0.0)
    if largest == 0:
        raise WeightsError("weights: all of them are zero; give at least one metric a weight above zero")
    for name, score in scores.items():
        if name not in weights:
            raise WeightsError(f"score of {name}: there is no weight for it; give it one, zero to leave it out")
        if score is not None and not 0 <= score <= 1:
            raise WeightsError(f"score of {name}: {score} is not in 0..1; pass null where there is no score")
    # dividing by the largest first keeps the sums finite for any finite weights
    shares = {name: weight / largest for name, weight in weights.items()}
    scored = {name: score for name, score in scores.items() if score is not None and shares[name] > 0}
    covered = math.fsum(shares[name] for name in scored)
    coverage = min(covered / math.fsum(shares.values()), 1.0)
    if coverage == 0:
        return Composite(score=None, coverage=0.0, weights={})
    mean = math.fsum(shares[name] * score for name, score in scored.items()) / covered
    return Composite(
        # rounding must not carry the mean past its parts
        score=min(max(mean, min(scored.values())), max(scored.values())),
        coverage=coverage,
        weights={name: shares[name] / covered for name in scored},
    )
