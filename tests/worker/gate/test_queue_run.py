"""Rows that the workers are to score, where there is no worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import Job
from groundwire.worker.gate.queue_run import IN_FLIGHT, score_by_workers

if TYPE_CHECKING:
    import redis

    from groundwire.client import Keys
    from groundwire.worker.settings import WorkerSettings


@pytest.mark.timeout(30)  # the waits of jobs that were sent together would take a minute if they added up
def test_without_a_worker_every_job_is_in_error_and_the_waits_do_not_add_up(
    settings: WorkerSettings, server: redis.Redis, keys: Keys
) -> None:
    texts = {"span_id": "s", "response_text": "It was built in 1889.", "rag_context": "In 1889."}
    jobs = [Job(trace_id=f"line-{number}", **texts) for number in range(IN_FLIGHT + 1)]
    outcomes = list(score_by_workers(jobs, settings, 1.0))
    assert len(outcomes) == len(jobs) == server.xlen(keys.stream("jobs:backfill"))
    assert all(outcome.result is None for outcome in outcomes)
    assert all("are an intake and a worker running? (no result came for 1 s)" in str(one.problem) for one in outcomes)
