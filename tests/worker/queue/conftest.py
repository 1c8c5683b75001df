from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import MetricError, MetricResult, Result, Status, Timing
from groundwire.worker.queue import Attempts, Entries, Retention

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.client import Keys

RETENTION = Retention(result_ttl_s=60, max_dead=1000, max_dead_payload_bytes=100)


@pytest.fixture
def worker(server: redis.Redis, keys: Keys) -> Callable[..., Entries]:
    """Another worker process, as the scripts see it."""

    def worker(name: str, lease_ms: int = 60_000) -> Entries:
        return Entries(server, keys, name, RETENTION, Attempts(5, lease_ms))

    return worker


@pytest.fixture
def entries(worker: Callable[..., Entries]) -> Entries:
    return worker("here:1")


@pytest.fixture
def result() -> Callable[..., Result]:
    def result(job_id: str = "j1", trace_id: str = "t1") -> Result:
        return Result(
            job_id=job_id,
            trace_id=trace_id,
            span_id="s1",
            metrics={
                "faithfulness": MetricResult(
                    score=None, status=Status.ERROR, error=MetricError(code="test", message="test")
                )
            },
            scorer=None,
            timing=Timing(),
            evaluated_at="2026-01-01T00:00:00Z",
        )

    return result
