from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from groundwire.client import GROUP
from groundwire.schemas import MetricResult, Result, SkipReason, Status, Timing
from groundwire.worker.task import ScoringProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.client import Client, Keys
    from groundwire.schemas import Job
    from groundwire.worker.settings import WorkerSettings


class Skips:
    def score(self, job: Job, *_: Any) -> Result:
        skipped = MetricResult(score=None, status=Status.SKIPPED, skip_reason=SkipReason.RAG_CONTEXT_NULL)
        return Result(
            job_id=job.id,
            trace_id=job.trace_id,
            span_id=job.span_id,
            metrics={"faithfulness": skipped},
            scorer=None,
            timing=Timing(),
            evaluated_at="2026-01-01T00:00:00Z",
        )


def test_a_message_is_worked_off(settings: WorkerSettings, client: Client, send: Callable[..., str]) -> None:
    process = ScoringProcess(settings, lambda _: Skips())
    process.load()
    process.score("jobs", [send(), "5-0"])
    assert [result.job_id for result in client.results()] == ["j1"]


def test_what_is_left_of_a_message_is_handed_back_when_the_worker_stops(
    settings: WorkerSettings, client: Client, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    process = ScoringProcess(settings, lambda _: Skips())
    process.load()
    process.stop()
    process.score("jobs", [send(), send()])
    assert list(client.results()) == []
    [consumer] = server.xpending(keys.stream("jobs"), GROUP)["consumers"]
    assert (consumer["name"], consumer["pending"]) == (b"intake:released", 2)
    assert not server.exists(keys.attempts)


def test_a_server_that_is_gone_keeps_no_stopping_worker(settings: WorkerSettings) -> None:
    gone = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"})
    process = ScoringProcess(gone, lambda _: Skips())
    process.load()
    process.stop()
    process.score("jobs", ["5-0", "6-0"])
    assert not process.failed


def test_a_process_without_a_model_leaves_its_messages(
    settings: WorkerSettings, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    ScoringProcess(settings, lambda _: Skips()).score("jobs", [send()])
    [consumer] = server.xpending(keys.stream("jobs"), GROUP)["consumers"]
    assert consumer["name"] == b"intake:test:1"


def test_work_is_a_sign_of_life(settings: WorkerSettings, send: Callable[..., str]) -> None:
    process = ScoringProcess(settings, lambda _: Skips())
    process.load()
    entry_id = send()
    quiet = []
    for message in ([], [entry_id]):
        begun = time.monotonic()
        process.score("jobs", message)
        quiet.append(process.quiet_s - (time.monotonic() - begun))
    assert quiet[0] > 0 >= quiet[1]
