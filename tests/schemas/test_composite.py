"""One number out of several scores: the laws that it keeps, and what it refuses."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from groundwire.schemas import DEFAULT_WEIGHTS, Composite, MetricName, WeightsError, composite

UNIT = st.floats(0, 1)
NAMES = st.sampled_from(["faithfulness", "groundedness", "toxicity", "answer relevance", "ü", ""])
WEIGHT = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
"""Any weight that is allowed, the smallest and the largest numbers that there are included."""

PLAIN_WEIGHT = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))
"""Weights as people give them: their products and sums are exact to some 1e-15."""


@st.composite
def weighted_scores(
    draw: st.DrawFn, weight: st.SearchStrategy[float] = WEIGHT
) -> tuple[dict[str, float | None], dict[str, float]]:
    """Scores with holes in them, and weights for them all, one of them above zero."""
    weights = draw(st.dictionaries(NAMES, weight, min_size=1).filter(lambda weights: any(weights.values())))
    scored = draw(st.lists(st.sampled_from(sorted(weights)), unique=True))
    return {name: draw(st.none() | UNIT) for name in scored}, weights


@given(weighted_scores())
def test_it_lies_between_its_parts_and_the_used_weights_add_up_to_one(case: Any) -> None:
    scores, weights = case
    made = composite(scores, weights)
    if made.score is not None:
        used = [scores[name] for name in made.weights]
        assert min(used) <= made.score <= max(used)
        assert math.fsum(made.weights.values()) == pytest.approx(1)
    assert 0 <= made.coverage <= 1


@given(weighted_scores())
def test_it_is_null_exactly_when_nothing_is_covered(case: Any) -> None:
    made = composite(*case)
    assert (made.score is None) == (made.coverage == 0) == (made.weights == {})


@given(weighted_scores(PLAIN_WEIGHT), st.floats(1e-9, 1e9))
def test_scaling_all_weights_changes_nothing(case: Any, factor: float) -> None:
    scores, weights = case
    made = composite(scores, weights)
    scaled = composite(scores, {name: weight * factor for name, weight in weights.items()})
    assert scaled.score == pytest.approx(made.score)
    assert scaled.coverage == pytest.approx(made.coverage)
    assert scaled.weights == pytest.approx(made.weights)


@given(st.dictionaries(NAMES, UNIT, min_size=1), st.floats(min_value=0, exclude_min=True, allow_infinity=False))
def test_with_equal_weights_it_is_the_mean(scores: dict[str, float], weight: float) -> None:
    made = composite(scores, dict.fromkeys(scores, weight))
    assert made.score == pytest.approx(float(sum(map(Fraction, scores.values())) / len(scores)))
    assert made.coverage == 1


@given(weighted_scores(), st.randoms(use_true_random=False))
def test_the_order_of_the_metrics_does_not_matter(case: Any, random: Any) -> None:
    def shuffled(pairs: dict[str, Any]) -> dict[str, Any]:
        return dict(random.sample(sorted(pairs.items()), len(pairs)))

    scores, weights = case
    assert composite(shuffled(scores), shuffled(weights)) == composite(scores, weights)


@given(weighted_scores(PLAIN_WEIGHT), st.data())
def test_a_metric_without_a_score_counts_as_one_that_is_not_there(case: Any, data: Any) -> None:
    scores, weights = case
    missing = [name for name in weights if scores.get(name) is None]
    added = data.draw(st.lists(st.sampled_from(missing), unique=True)) if missing else []
    assert composite(scores | dict.fromkeys(added), weights) == composite(scores, weights)


@given(weighted_scores())
def test_its_json_holds_no_nan_and_reads_back(case: Any) -> None:
    made = composite(*case)

    def refuse(name: str) -> None:
        raise AssertionError(name)

    text = made.model_dump_json()
    json.loads(text, parse_constant=refuse)
    assert Composite.model_validate_json(text) == made


def test_a_score_that_is_missing_drops_out_of_the_mean() -> None:
    made = composite({"a": 0.9, "b": None, "c": 0.85}, dict.fromkeys("abc", 1.0))
    assert made.score == pytest.approx(0.875)
    assert made.coverage == pytest.approx(2 / 3)
    assert made.weights == {"a": 0.5, "c": 0.5}


def test_the_default_weights_know_every_metric_and_add_up_to_one() -> None:
    assert set(MetricName) <= set(DEFAULT_WEIGHTS)
    assert math.fsum(DEFAULT_WEIGHTS.values()) == pytest.approx(1)
    made = composite({"faithfulness": 1.0, "groundedness": 0.25})
    assert made.score == pytest.approx(0.75)
    assert made.coverage == pytest.approx(0.6)


def test_a_metric_of_no_weight_is_no_part() -> None:
    made = composite({"a": 0.5, "b": 1.0}, {"a": 1.0, "b": 0.0})
    assert made == Composite(score=0.5, coverage=1.0, weights={"a": 1.0})
    assert composite({"b": 1.0}, {"a": 1.0, "b": 0.0}).score is None


@pytest.mark.parametrize("scores", [{}, {"faithfulness": None}])
def test_nothing_scored_is_null(scores: dict[str, float | None]) -> None:
    assert composite(scores) == Composite(score=None, coverage=0.0, weights={})


@pytest.mark.parametrize("weight", [-0.1, -1e-300, math.nan, math.inf, -math.inf])
def test_a_weight_that_is_negative_or_not_finite_is_refused_by_name(weight: float) -> None:
    with pytest.raises(WeightsError, match=f"weight of toxicity: {weight} "):
        composite({"a": 1.0}, {"a": 1.0, "toxicity": weight})


@pytest.mark.parametrize("weights", [{}, {"a": 0.0}, {"a": 0.0, "b": -0.0}])
def test_weights_that_are_all_zero_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(WeightsError, match="all of them are zero"):
        composite({}, weights)


@pytest.mark.parametrize("score", [-0.01, 1.01, math.nan, math.inf])
def test_a_score_outside_the_unit_interval_is_refused_by_name(score: float) -> None:
    with pytest.raises(WeightsError, match=f"score of toxicity: {score} "):
        composite({"toxicity": score}, {"toxicity": 1.0})


def test_a_score_without_a_weight_is_refused_by_name() -> None:
    with pytest.raises(WeightsError, match="score of toxicity: there is no weight"):
        composite({"faithfulness": 1.0, "toxicity": 0.1})


@pytest.mark.parametrize("fields", [{"score": math.nan}, {"score": 1.5}, {"coverage": -0.1}, {"coverage": math.inf}])
def test_a_composite_that_cannot_be_is_no_model(fields: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Composite(**{"score": 0.5, "coverage": 1.0, "weights": {}} | fields)


@pytest.mark.parametrize(
    ("scores", "mean", "coverage"),
    [
        ([0.9, None, 0.85], 0.875, 2 / 3),
        ([0.9, 0.85, None], 0.875, 2 / 3),
        ([None, 0.9, 0.85], 0.875, 2 / 3),
        ([None, None, 0.4], 0.4, 1 / 3),
        ([0.0, None], 0.0, 1 / 2),
        ([0.0, 1.0, None, None], 0.5, 1 / 2),
        ([1.0, 1.0, 1.0], 1.0, 1.0),
        ([0.2, None, 0.4, None, 0.6], 0.4, 3 / 5),
        ([0.1], 0.1, 1.0),
        ([None], None, 0.0),
        ([None, None, None], None, 0.0),
    ],
)
def test_the_mean_of_equal_weights_is_over_the_scored_ones_and_never_nan(
    scores: list[float | None], mean: float | None, coverage: float
) -> None:
    # deepset-ai/haystack#11383: one evaluation without a score made the mean of all of them NaN
    named = {f"metric {place}": score for place, score in enumerate(scores)}
    made = composite(named, dict.fromkeys(named, 1.0))
    assert made.score == (None if mean is None else pytest.approx(mean))
    assert made.coverage == pytest.approx(coverage)
    assert "NaN" not in made.model_dump_json()
