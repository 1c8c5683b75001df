from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import GROUP, Client, Keys
from groundwire.schemas import Limits, MetricName, MetricResult, Result, SkipReason, Status, Timing
from groundwire.worker.processor import JobRules, Processor
from groundwire.worker.queue import Attempts, Entries, Retention
from groundwire.worker.queue.lease import Leases

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.schemas import Job

SECRET = "a-text-that-stays-private"  # noqa: S105 - no password, a marker
MAX_ATTEMPTS = 3
LIMIT_S = 600.0


@dataclass
class Scorer:
    """Skips every job, or raises."""

    error: Exception | None = None
    scored: list[str] = field(default_factory=list)

    def score(self, job: Job, _warnings: Any, _queued_ms: Any, attempt: int = 1) -> Result:
        if self.error is not None:
            raise self.error
        self.scored.append(job.id)
        skipped = MetricResult(score=None, status=Status.SKIPPED, skip_reason=SkipReason.RAG_CONTEXT_NULL)
        return Result(
            job_id=job.id,
            trace_id=job.trace_id,
            span_id=job.span_id,
            metrics={"faithfulness": skipped},
            scorer=None,
            timing=Timing(),
            evaluated_at="2026-01-01T00:00:00Z",
            attempt=attempt,
        )


@dataclass
class Entry:
    """The entry of one job, and a worker that tries it."""

    entry_id: str
    server: redis.Redis
    keys: Keys
    scorer: Scorer
    processor: Processor

    def holder(self) -> str:
        [pending] = self.server.xpending_range(self.keys.stream("jobs"), GROUP, self.entry_id, self.entry_id, 1)
        return str(pending["consumer"].decode())

    def try_it(self) -> None:
        """Send the entry out as an intake would when it is time, and work it off."""
        stream = self.keys.stream("jobs")
        self.server.xclaim(stream, GROUP, "intake:test:1", 0, [self.entry_id], justid=True)
        self.processor.process("jobs", self.entry_id)


@pytest.fixture
def entry(server: redis.Redis, keys: Keys, send: Callable[..., str]) -> Entry:
    entries = Entries(server, keys, "here:1", Retention(60, 1000, 1_000_000), Attempts(MAX_ATTEMPTS))
    rules = JobRules(Limits(), (MetricName.FAITHFULNESS,), MAX_ATTEMPTS, LIMIT_S)
    scorer = Scorer()
    return Entry(send(), server, keys, scorer, Processor(entries, Leases(entries, LIMIT_S), scorer, rules))


@pytest.mark.parametrize("error", [OSError(SECRET), MemoryError()])
def test_a_fault_that_passes_is_waited_for_and_tried_again(client: Client, entry: Entry, error: Exception) -> None:
    entry.scorer.error = error
    for attempt in range(1, MAX_ATTEMPTS):
        entry.try_it()
        role, _, delay = entry.holder().partition(":")
        assert role == "retry"
        assert 500 * 2 ** (attempt - 1) <= int(delay) <= 1000 * 2 ** (attempt - 1)
    entry.scorer.error = None
    entry.try_it()
    [result] = client.results()
    assert result.attempt == MAX_ATTEMPTS
    assert not entry.server.exists(entry.keys.attempts, entry.keys.errors)


def test_a_fault_that_does_not_pass_ends_in_a_dead_letter_with_its_history(client: Client, entry: Entry) -> None:
    entry.scorer.error = OSError(SECRET)
    for _ in range(MAX_ATTEMPTS):
        entry.try_it()
    [letter] = client.dead.list()
    assert (letter.reason, letter.attempts) == ("too_many_attempts", MAX_ATTEMPTS)
    assert letter.error.startswith("payload: all 3 attempts failed; the last one with OSError in the scorer")
    assert [line.split(";")[0] for line in letter.errors] == [f"attempt {n}: OSError in the scorer" for n in (1, 2)]
    result = client.result("t1", "j1")
    assert result is not None
    assert result.metrics["faithfulness"].status is Status.ERROR


def test_a_job_whose_workers_died_is_not_scored_once_more(client: Client, entry: Entry) -> None:
    entry.server.hset(entry.keys.attempts, f"jobs/{entry.entry_id}", MAX_ATTEMPTS)
    entry.try_it()
    [letter] = client.dead.list()
    assert (letter.reason, letter.attempts, letter.job_id) == ("too_many_attempts", MAX_ATTEMPTS, "j1")
    assert entry.scorer.scored == []


def test_a_result_that_the_server_refuses_is_worked_out_again_later(client: Client, entry: Entry) -> None:
    entry.server.set(entry.keys.results, "no stream")
    entry.try_it()
    entry.server.delete(entry.keys.results)
    assert entry.holder() == "worker:here:1"  # until its lease runs out
    assert list(client.dead.list()) == []
    entry.try_it()
    [result] = client.results()
    assert result.attempt == 2
