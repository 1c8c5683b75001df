from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from celery.exceptions import Reject

from groundwire.schemas import MetricResult, Result, SkipReason, Status, Timing
from groundwire.worker.task import ScoringProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.client import Client
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


def test_a_message_comes_back_when_the_server_is_gone(settings: WorkerSettings) -> None:
    gone = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"})
    process = ScoringProcess(gone, lambda _: Skips())
    process.load()
    with pytest.raises(Reject) as caught:
        process.score("jobs", ["5-0"])
    assert caught.value.requeue


def test_a_message_comes_back_when_there_is_no_model(settings: WorkerSettings) -> None:
    with pytest.raises(Reject) as caught:
        ScoringProcess(settings, lambda _: Skips()).score("jobs", ["5-0"])
    assert caught.value.requeue


def test_a_message_comes_back_when_the_worker_stops(
    settings: WorkerSettings, client: Client, send: Callable[..., str]
) -> None:
    process = ScoringProcess(settings, lambda _: Skips())
    process.load()
    process.stop()
    with pytest.raises(Reject) as caught:
        process.score("jobs", [send()])
    assert caught.value.requeue
    assert list(client.results()) == []
