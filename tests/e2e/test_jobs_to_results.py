from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groundwire.schemas import Label, Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import System


def faithfulness(fields: dict[bytes, bytes]) -> Any:
    return Result.model_validate_json(fields[b"payload"]).metrics["faithfulness"]


def test_jobs_on_the_stream_become_results_of_their_traces(system: System, job: Callable[..., dict[str, Any]]) -> None:
    answers = {
        "paris": "The Eiffel Tower is in Paris. It was built in 1889.",
        "london": "The Eiffel Tower is in London. It was built in 1989.",
    }
    for trace_id, answer in answers.items():
        system.add(json.dumps(job(trace_id, answer)))
    results = system.results(answers)

    supported = faithfulness(results["paris"])
    assert (supported.status, supported.score) == (Status.SUCCESS, 1.0)
    assert (supported.total_qualifying, supported.entailed_count) == (2, 2)
    assert [one.sentence for one in supported.sentence_results] == [
        "The Eiffel Tower is in Paris.",
        "It was built in 1889.",
    ]
    contradicted = faithfulness(results["london"])
    assert (contradicted.status, contradicted.score) == (Status.FAILURE, 0.0)
    assert [one.label for one in contradicted.sentence_results] == [Label.CONTRADICTION] * 2
    assert {fields[b"span_id"] for fields in results.values()} == {b"s1"}


def test_both_profiles_and_streams(system: System, job: Callable[..., dict[str, Any]]) -> None:
    system.add(json.dumps(job("original") | {"profile": "original"}))
    system.add(json.dumps(job("backfill") | {"priority": "backfill"}), "jobs:backfill")
    results = system.results(("original", "backfill"))
    assert [faithfulness(fields).score for fields in results.values()] == [1.0, 1.0]


def test_many_jobs_each_have_one_result_and_leave_nothing_behind(
    system: System, job: Callable[..., dict[str, Any]]
) -> None:
    traces = [f"many-{n}" for n in range(40)]
    last = [system.add(json.dumps(job(trace_id) | {"rag_context": None})) for trace_id in traces][-1]
    results = system.results(traces)
    assert {faithfulness(fields).skip_reason for fields in results.values()} == {"rag_context_null"}
    assert system.server.xrange(system.keys.stream("jobs"), last, last) == []
    assert system.server.hlen(system.keys.attempts) == 0


def test_the_client_finds_what_a_raw_entry_became(system: System, job: Callable[..., dict[str, Any]]) -> None:
    system.add(json.dumps(job("by-id") | {"job_id": "my-own-id", "project": "p", "attributes": {"a": "b"}}))
    result = system.client.wait("by-id", "my-own-id", 30)
    assert (result.project, result.attributes, result.attempt) == ("p", {"a": "b"}, 1)
    assert result.timing.queued_ms is not None
    assert result.scorer is not None
    assert len(result.scorer.model_sha256) == 64
    again = system.client.submit(job("by-id") | {"job_id": "my-own-id"})
    assert again.entry_id is None


def test_the_status_knows_who_runs(system: System) -> None:
    status = system.client.status()
    assert (status.workers, status.intakes) == (1, 1)
    assert status.results >= 1


def test_the_worker_shows_that_it_lives(system: System) -> None:
    assert system.heartbeat.exists()
