"""What has arrived for a span, as a value: order, repeats, corrections."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from groundwire.client.span_join import KEPT_JOBS, Part, SpanJoin
from groundwire.schemas import CombinedPart, composite

if TYPE_CHECKING:
    from collections.abc import Mapping

WEIGHTS = {"faithfulness": 2.0, "toxicity": 1.0, "style": 0.0}

EMPTY = SpanJoin(trace_id="t", span_id="s")


def part(job_id: str, /, **scores: float | None) -> Part:
    metrics = {name: {"score": score} for name, score in scores.items()}
    return Part.model_validate({"v": 1, "trace_id": "t", "span_id": "s", "job_id": job_id, "metrics": metrics})


def joined(parts: Mapping[str, Part]) -> SpanJoin:
    join = EMPTY
    for entry_id, one in parts.items():
        join = join.with_part(entry_id, one)
    return join


SCORES = st.dictionaries(st.sampled_from(sorted(WEIGHTS)), st.none() | st.floats(0, 1), min_size=1)
ENTRIES = st.builds("{}-{}".format, st.integers(1, 200), st.integers(0, 2))
PARTS = st.dictionaries(ENTRIES, SCORES, min_size=1, max_size=12).map(
    lambda found: {entry_id: part(f"job of {entry_id}", **scores) for entry_id, scores in found.items()}
)


@given(PARTS, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(parts: dict[str, Part], random: Any) -> None:
    shuffled = dict(random.sample(sorted(parts.items()), len(parts)))
    assert joined(shuffled) == joined(parts)


@given(PARTS)
def test_the_newest_score_of_each_metric_counts(parts: dict[str, Part]) -> None:
    in_order = sorted(parts, key=lambda entry_id: tuple(map(int, entry_id.split("-"))))
    expected: dict[str, float | None] = {}
    for entry_id in in_order:
        expected |= {name: metric.score for name, metric in parts[entry_id].metrics.items()}
    combined = joined(parts).combine(WEIGHTS)
    assert combined.metrics == expected
    assert combined.composite == composite(expected, WEIGHTS)
    assert combined.complete == ({"faithfulness", "toxicity"} <= set(expected))
    assert combined.revision == 1
    places = [in_order.index(one.entry_id) for one in combined.parts]
    assert places == sorted(places)
    assert len(set(combined.parts)) == len(combined.parts)


@given(PARTS)
def test_it_reads_back_from_its_json_to_the_last_digit(parts: dict[str, Part]) -> None:
    join = joined(parts)
    assert SpanJoin.model_validate_json(join.model_dump_json()) == join


def test_a_repeated_result_changes_nothing() -> None:
    join = joined({"5-0": part("a", faithfulness=0.5)})
    assert join.with_part("5-0", part("a", faithfulness=0.5)) == join
    assert join.with_part("9-0", part("a", faithfulness=0.5)) == join


def test_a_repeated_result_does_not_undo_a_later_one_of_another_job() -> None:
    join = joined({"5-0": part("a", faithfulness=0.5), "6-0": part("b", faithfulness=0.7)})
    assert join.with_part("9-0", part("a", faithfulness=0.5)) == join
    swapped = joined({"9-0": part("a", faithfulness=0.5), "6-0": part("b", faithfulness=0.7)})
    assert swapped.latest() == {"faithfulness": ("a", 0.5)}
    assert swapped.with_part("5-0", part("a", faithfulness=0.5)) == join


def test_a_corrected_result_replaces_that_of_its_job_and_a_stale_one_does_not() -> None:
    join = joined({"5-0": part("a", faithfulness=0.5, toxicity=0.1), "10-0": part("a", faithfulness=None)})
    assert join.latest() == {"faithfulness": ("a", None), "toxicity": ("a", 0.1)}
    assert join.with_part("6-0", part("a", faithfulness=0.9)) == join
    assert join.combine(WEIGHTS).parts == (
        CombinedPart(job_id="a", entry_id="5-0"),
        CombinedPart(job_id="a", entry_id="10-0"),
    )


def test_a_metric_that_nobody_weighs_is_shown_and_counts_nothing() -> None:
    combined = joined({"1-0": part("a", faithfulness=0.5, style=1.0, unheard_of=1.0)}).combine(WEIGHTS)
    assert combined.metrics == {"faithfulness": 0.5, "style": 1.0, "unheard_of": 1.0}
    assert combined.composite.score == 0.5
    assert combined.composite.coverage == pytest.approx(2 / 3)
    assert not combined.complete


def test_what_is_remembered_of_a_sender_that_reuses_its_ids_stays_small() -> None:
    join = joined({f"{n}-0": part(f"job{n}", faithfulness=0.5) for n in range(10 * KEPT_JOBS)})
    assert len(join.seen["faithfulness"]) == KEPT_JOBS
    assert join.latest() == {"faithfulness": (f"job{10 * KEPT_JOBS - 1}", 0.5)}


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": None},
        {"job_id": ""},
        {"trace_id": 7},
        {"span_id": "s" * 129},
        {"metrics": []},
        {"metrics": {"a": {}}},
        {"metrics": {"a": {"score": 1.01}}},
        {"metrics": {"a": {"score": -0.01}}},
        {"metrics": {"a": {"score": "0.5"}}},
        {"metrics": {"a": {"score": True}}},
        {"metrics": {"a": {"score": float("nan")}}},
        {"metrics": {str(n): {"score": 1} for n in range(257)}},
    ],
)
def test_what_is_no_result_is_refused(change: dict[str, Any]) -> None:
    good = {"v": 1, "trace_id": "t", "span_id": "s", "job_id": "j", "metrics": {"a": {"score": 1, "x": 2}}, "y": 3}
    assert Part.model_validate_json(json.dumps(good)).metrics["a"].score == 1
    with pytest.raises(ValidationError):
        Part.model_validate_json(json.dumps(good | change))
