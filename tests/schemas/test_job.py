"""The job as a model: its identity and its way through JSON."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from groundwire.schemas import Job, Limits, parse_job

BASE: dict[str, Any] = {"trace_id": "t1", "span_id": "s1", "response_text": "The tower is in Paris."}


def test_a_job_without_an_id_gets_the_same_one_each_time() -> None:
    assert Job(**BASE).id == Job(**BASE).id
    assert len(Job(**BASE).id) == 32


@pytest.mark.parametrize(
    "change",
    [
        {"trace_id": "t2"},
        {"span_id": "s2"},
        {"response_text": "Another answer."},
        {"contexts": ["a"]},
        {"rag_context": "a"},
        {"query": "Where?"},
        {"completion_tokens": 14},
        {"finish_reason": "stop"},
        {"profile": "original"},
        {"thresholds": {"faithfulness": 0.9}},
        {"cited_chunks": ["1"]},
    ],
)
def test_every_field_that_bears_on_the_score_bears_on_the_derived_id(change: dict[str, Any]) -> None:
    assert Job(**BASE | change).id != Job(**BASE).id


@pytest.mark.parametrize(
    "change",
    [
        {"priority": "backfill"},
        {"project": "shop"},
        {"attributes": {"region": "eu"}},
        {"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01"},
    ],
)
def test_what_is_carried_through_does_not(change: dict[str, Any]) -> None:
    assert Job(**BASE | change).id == Job(**BASE).id


def test_the_senders_id_wins_and_leaves_the_content_hash_alone() -> None:
    job = Job(**BASE, job_id="mine")
    assert job.id == "mine"
    assert job.content_hash == Job(**BASE).content_hash


def test_the_payload_reads_back_as_the_same_job() -> None:
    job = Job(**BASE, contexts=["a", {"html": "<p>b</p>", "title": "B", "score": 0.5}], attributes={"k": "ü"})
    assert parse_job(job.to_payload(), Limits()).job == job


def test_a_job_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Job(**BASE).trace_id = "t2"  # type: ignore[misc]  # the assignment is what is refused


def test_the_json_schema_names_what_a_producer_in_another_language_must_send() -> None:
    schema = Job.model_json_schema()
    assert set(schema["required"]) == {"trace_id", "span_id", "response_text"}
    assert "string" in json.dumps(schema["properties"]["contexts"])
