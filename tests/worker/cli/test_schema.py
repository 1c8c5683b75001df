from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groundwire.schemas import Job, Result
from groundwire.worker.cli import main

if TYPE_CHECKING:
    import pytest


def schema(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["schema", *words]) == 0
    shown = capsys.readouterr().out
    read: dict[str, Any] = json.loads(shown)
    return read


def test_job_schema_names_every_field_and_says_what_it_means(capsys: pytest.CaptureFixture[str]) -> None:
    job = schema(capsys, "job")
    assert set(job["properties"]) == set(Job.model_fields)
    assert set(job["required"]) == {"trace_id", "span_id", "response_text"}
    assert job["properties"]["response_text"]["description"] == "The answer."
    assert "Attributes:" not in json.dumps(job)
    assert job["$schema"].startswith("https://json-schema.org/")


def test_result_schema_names_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    result = schema(capsys, "result")
    assert set(result["properties"]) == set(Result.model_fields)
    skip_reasons = result["$defs"]["SkipReason"]["enum"]
    assert skip_reasons[0] == "finish_reason_blocked"
    assert "score" in result["$defs"]["MetricResult"]["required"]


def test_both_come_as_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert schema(capsys) == {"job": schema(capsys, "job"), "result": schema(capsys, "result")}
