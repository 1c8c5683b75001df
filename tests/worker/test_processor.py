from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
import redis

from groundwire.schemas import (
    DeadReason,
    Limits,
    MetricName,
    MetricResult,
    ModelError,
    Result,
    SkipReason,
    Status,
    Timing,
    parse_job,
)
from groundwire.worker.processor import JobRules, Processor
from groundwire.worker.queue import Attempts, Entries, Retention
from groundwire.worker.queue.lease import Leases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.client import Client, Keys
    from groundwire.schemas import Job, ParsedJob

SECRET = "a-text-that-stays-private"  # noqa: S105 - no password, a marker
MAX_ATTEMPTS = 3
LIMIT_S = 600.0
METRICS = (MetricName.FAITHFULNESS,)


class FakeScorer:
    """Skips every job; raises what the test put under the job's id."""

    def __init__(self) -> None:
        self.errors: dict[str, Exception] = {}
        self.scored: list[str] = []

    def score(self, job: Job, warnings: Sequence[str] = (), queued_ms: float | None = None, attempt: int = 1) -> Result:
        if job.id in self.errors:
            raise self.errors[job.id]
        self.scored.append(job.id)
        skipped = MetricResult(score=None, status=Status.SKIPPED, skip_reason=SkipReason.RAG_CONTEXT_NULL)
        return Result(
            job_id=job.id,
            trace_id=job.trace_id,
            span_id=job.span_id,
            metrics={"faithfulness": skipped},
            scorer=None,
            timing=Timing(queued_ms=queued_ms),
            warnings=tuple(warnings),
            evaluated_at="2026-01-01T00:00:00Z",
            attempt=attempt,
        )


@pytest.fixture
def scorer() -> FakeScorer:
    return FakeScorer()


@pytest.fixture
def process(server: redis.Redis, keys: Keys, scorer: FakeScorer) -> Callable[..., None]:
    entries = Entries(server, keys, "here:1", Retention(60, 1000, 1_000_000), Attempts(MAX_ATTEMPTS))
    rules = JobRules(Limits(), METRICS, MAX_ATTEMPTS, LIMIT_S)
    processor = Processor(entries, Leases(entries, LIMIT_S), scorer, rules, lambda: True)

    def process(*entry_ids: str) -> None:
        for entry_id in entry_ids:
            processor.process("jobs", entry_id)

    return process


def test_a_job_becomes_a_result(client: Client, send: Callable[..., str], process: Callable[..., None]) -> None:
    process(send())
    [result] = client.results()
    assert (result.trace_id, result.job_id, result.attempt) == ("t1", "j1", 1)
    assert result.timing.queued_ms is not None
    assert list(client.dead.list()) == []


def test_an_unknown_field_of_a_newer_producer_is_a_warning(
    client: Client, send: Callable[..., str], job: dict[str, Any], process: Callable[..., None]
) -> None:
    process(send(job | {"something_new": 1}))
    [result] = client.results()
    assert result.warnings == ("unknown field something_new was ignored",)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"v": "1"}, (DeadReason.MALFORMED_ENTRY, "payload")),
        ({"payload": "{}"}, (DeadReason.MALFORMED_ENTRY, "v")),
        ({b"\xff\xfe": b"\x00", "noise": "x"}, (DeadReason.MALFORMED_ENTRY, "v")),
        ({"v": "2", "payload": "{}"}, (DeadReason.UNSUPPORTED_VERSION, "v")),
        ({"v": "1", "payload": ""}, (DeadReason.NOT_JSON, "payload")),
        ({"v": "1", "payload": b"\xff"}, (DeadReason.NOT_UTF8, "payload")),
        ({"v": "1", "payload": '{"trace_id":"t1","span_id":"s1"}'}, (DeadReason.INVALID_FIELD, "response_text")),
    ],
)
def test_what_is_no_job_is_buried_and_its_neighbours_go_on(
    client: Client, send: Callable[..., str], process: Callable[..., None], entry: dict[Any, Any], why: tuple[str, str]
) -> None:
    process(send(entry), send())
    [letter] = client.dead.list()
    assert ((letter.reason, letter.field), letter.attempts) == (why, 1)
    assert "j1" in [result.job_id for result in client.results()]


def test_whoever_waits_for_an_invalid_job_gets_an_error(
    client: Client, send: Callable[..., str], job: dict[str, Any], process: Callable[..., None]
) -> None:
    process(send(job | {"completion_tokens": "many"}))
    result = client.result("t1", "j1")
    assert result is not None
    error = result.metrics["faithfulness"].error
    assert error is not None
    assert error.code == "invalid_field"
    assert error.message.startswith("completion_tokens: ")
    assert result.scorer is None


@pytest.fixture
def process_failing(
    send: Callable[..., str],
    job: dict[str, Any],
    process: Callable[..., None],
    scorer: FakeScorer,
    caplog: pytest.LogCaptureFixture,
) -> Callable[[Exception], str]:
    """Work off a job that makes the scorer raise, and a good one; returns the log."""

    def process_failing(error: Exception) -> str:
        caplog.set_level(logging.DEBUG)
        scorer.errors["j1"] = error
        process(send(job | {"project": "p", "response_text": SECRET}), send(job | {"job_id": "j2"}))
        return caplog.text

    return process_failing


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError(SECRET), "RuntimeError in the scorer"),
        (UnicodeEncodeError("utf-8", SECRET, 0, 1, "reason"), "UnicodeEncodeError in the scorer"),
        (ModelError("the model is gone; build it again"), "the model is gone; build it again"),
    ],
)
def test_a_job_that_breaks_the_scorer_is_buried_alone(
    process_failing: Callable[[Exception], str], client: Client, error: Exception, message: str
) -> None:
    log = process_failing(error)
    [letter] = client.dead.list()
    assert (letter.reason, letter.error) == ("scoring_failed", message)
    assert json.loads(letter.payload or b"")["job_id"] == "j1"
    failed = client.result("t1", "j1")
    assert failed is not None
    assert failed.project == "p"
    assert failed.metrics["faithfulness"].status is Status.ERROR
    assert client.result("t1", "j2") is not None
    assert SECRET not in log + letter.error + failed.model_dump_json()
    assert "scoring_failed" in log


def test_entries_that_break_the_parser_are_buried_alone(
    client: Client, send: Callable[..., str], process: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = {b"1": OverflowError(SECRET), b"2": RecursionError(SECRET), b"3": redis.ResponseError(SECRET)}

    def parse(payload: bytes, limits: Limits, **options: Any) -> ParsedJob:
        if payload in errors:
            raise errors[payload]
        return parse_job(payload, limits, **options)

    # No payload is known that gets past the parser's own checks: the net is for those that are not known.
    monkeypatch.setattr("groundwire.worker.processor.parse_job", parse)
    process(*(send({"v": "1", "payload": payload}) for payload in errors), send())
    letters = list(client.dead.list())
    assert [(letter.reason, letter.field) for letter in letters] == [("scoring_failed", "payload")] * len(errors)
    for letter, error in zip(letters, errors.values(), strict=True):
        assert letter.error.startswith(f"{type(error).__name__} while the job was read")
        assert SECRET not in letter.error
    assert [result.job_id for result in client.results()] == ["j1"]


def test_the_same_job_twice_has_one_result(
    client: Client, send: Callable[..., str], process: Callable[..., None]
) -> None:
    process(send(), send())
    assert len(list(client.results())) == 1
    assert list(client.dead.list()) == []


def test_another_job_under_the_same_id_is_buried(
    client: Client, send: Callable[..., str], job: dict[str, Any], process: Callable[..., None]
) -> None:
    process(send(), send(job | {"query": "another one"}))
    [letter] = client.dead.list()
    assert (letter.reason, letter.field, letter.job_id) == ("job_id_conflict", "job_id", "j1")
    [result] = client.results()
    assert result.metrics["faithfulness"].status is Status.SKIPPED


def test_a_replayed_job_gets_a_real_result(
    client: Client, send: Callable[..., str], read: Callable[[], str], process: Callable[..., None], scorer: FakeScorer
) -> None:
    scorer.errors["j1"] = RuntimeError()
    process(send())
    [letter] = client.dead.list()
    scorer.errors.clear()
    client.dead.replay(letter.entry_id)
    process(read())
    assert [result.metrics["faithfulness"].status for result in client.results()] == [Status.ERROR, Status.SKIPPED]
    found = client.result("t1", "j1")
    assert found is not None
    assert found.metrics["faithfulness"].status is Status.SKIPPED


def test_a_message_that_comes_twice_does_nothing(
    client: Client, send: Callable[..., str], process: Callable[..., None], scorer: FakeScorer
) -> None:
    entry_id = send()
    process(entry_id)
    process(entry_id)
    assert scorer.scored == ["j1"]
    assert len(list(client.results())) == 1
