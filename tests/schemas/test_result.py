"""The result as a model: what can't be said in it."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from groundwire.schemas import MetricError, MetricResult, Result, SkipReason, Status, Timing

ERROR = MetricError(code="x", message="y")


@pytest.mark.parametrize(
    "fields",
    [
        {"score": None, "status": Status.SUCCESS},
        {"score": 0.5, "status": Status.SKIPPED, "skip_reason": SkipReason.ABSTENTION},
        {"score": None, "status": Status.SKIPPED},
        {"score": None, "status": Status.ERROR},
        {"score": 0.5, "status": Status.FAILURE, "error": ERROR},
        {"score": 0.5, "status": Status.SUCCESS, "skip_reason": SkipReason.ABSTENTION},
        {"score": float("nan"), "status": Status.SUCCESS},
        {"score": 1.01, "status": Status.SUCCESS},
        {"score": -0.01, "status": Status.FAILURE},
    ],
)
def test_a_score_and_a_status_that_contradict_each_other_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        MetricResult(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"score": 0.0, "status": Status.FAILURE},
        {"score": None, "status": Status.SKIPPED, "skip_reason": SkipReason.RAG_CONTEXT_NULL},
        {"score": None, "status": Status.ERROR, "error": ERROR},
    ],
)
def test_score_skip_and_error_are_each_said_in_one_way(fields: dict[str, Any]) -> None:
    assert json.loads(MetricResult(**fields).model_dump_json())["score"] == fields["score"]


def test_readers_ignore_fields_that_they_do_not_know() -> None:
    metric = MetricResult(score=1.0, status=Status.SUCCESS)
    result = Result(
        job_id="j", trace_id="t", span_id="s", metrics={"faithfulness": metric}, scorer=None, timing=Timing(),
        evaluated_at="2026-11-30T12:00:00Z",
    )  # fmt: skip
    newer = json.loads(result.model_dump_json()) | {"a_later_field": 1}
    assert Result.model_validate(newer) == result
