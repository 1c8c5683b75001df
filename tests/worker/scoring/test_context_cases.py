"""Contexts in shapes that other scorers gave a perfect or a low score for, each with the public report of its kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from groundwire.schemas import InvalidJobError, Limits, MetricName, ProfileName, Status, parse_job
from groundwire.worker.scoring.context import read_context
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from groundwire.worker.scoring.ports import Ports

LINES = (Path(__file__).parents[2] / "cases" / "contexts.jsonl").read_text("utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]
BASE = {
    "trace_id": "t1",
    "span_id": "s1",
    "query": "What does the mill of Holm grind?",
    "response_text": "The mill of Holm grinds rye.",
    "completion_tokens": 50,
}
READ_NO_CONTEXT = {MetricName.ANSWER_RELEVANCE, MetricName.COMPLETENESS}
ZERO_IN_ORIGINAL = {MetricName.GROUNDEDNESS, MetricName.CONTEXT_RELEVANCE, MetricName.CONTEXT_PRECISION}


def cases(outcome: str) -> list[Any]:
    return [pytest.param(case, id=f"{case['from']}-{place}") for place, case in enumerate(CASES) if outcome in case]


def payload(case: dict[str, Any]) -> bytes:
    return json.dumps(BASE | case["fields"]).encode()


@pytest.mark.parametrize("profile", MODELS_PROFILES)
@pytest.mark.parametrize("metric", [name for name in MetricName if name not in READ_NO_CONTEXT])
@pytest.mark.parametrize("case", cases("skipped"))
def test_a_context_of_nothing_is_skipped_and_has_no_score(
    ports: Ports, case: dict[str, Any], metric: MetricName, profile: ProfileName
) -> None:
    job = parse_job(payload(case), Limits()).job
    scored = score_job(job, PROFILES[profile], ports, [metric]).metrics[metric.value]
    if metric in ZERO_IN_ORIGINAL and profile is ProfileName.ORIGINAL:
        assert scored.score == 0.0  # as the services that it follows do
        return
    assert (scored.status, scored.skip_reason, scored.score) == (Status.SKIPPED, case["skipped"], None)


@pytest.mark.parametrize("case", cases("texts"))
def test_a_context_in_a_known_shape_is_read_chunk_by_chunk(case: dict[str, Any]) -> None:
    parsed = parse_job(payload(case), Limits())
    assert [(field.context_index, field.text) for field in read_context(parsed.job)] == list(enumerate(case["texts"]))
    assert parsed.warnings == ()


@pytest.mark.parametrize("unknown_fields", ["refuse", "warn"])
@pytest.mark.parametrize("case", cases("refused"))
def test_a_context_in_no_known_shape_is_refused_by_name(
    case: dict[str, Any], unknown_fields: Literal["refuse", "warn"]
) -> None:
    with pytest.raises(InvalidJobError) as caught:
        parse_job(payload(case), Limits(), unknown_fields=unknown_fields)
    assert (caught.value.field or "").startswith(case["refused"])
    assert "rye" not in str(caught.value)
