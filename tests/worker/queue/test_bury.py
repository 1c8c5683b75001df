from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from groundwire.client import GROUP, Keys
from groundwire.schemas import DeadReason
from groundwire.worker.queue import Attempts, Entries, Failure, Retention

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.schemas import Result

FAILURE = Failure(DeadReason.INVALID_FIELD, "trace_id", "trace_id: field required")


def test_writes_the_dead_letter(
    worker: Callable[..., Entries],
    server: redis.Redis,
    keys: Keys,
    send: Callable[..., str],
    result: Callable[..., Result],
) -> None:
    payload = json.dumps({"trace_id": "t1", "response_text": "x" * 500}).encode()
    entry_id = send(payload, "jobs:backfill")
    worker("there:2").begin("jobs:backfill", entry_id)
    entries = worker("here:1", lease_ms=0)
    begun = entries.begin("jobs:backfill", entry_id)
    assert begun is not None
    assert entries.bury(begun, FAILURE, result())
    [(_, letter)] = server.xrange(keys.dead)
    assert re.fullmatch(rb"attempt 1: the worker died or stood still; worker:there:2; 20.*Z", letter.pop(b"errors"))
    assert letter == {
        b"reason": b"invalid_field",
        b"field": b"trace_id",
        b"error": b"trace_id: field required",
        b"attempts": b"2",
        b"stream": b"jobs:backfill",
        b"entry_id": entry_id.encode(),
        b"trace_id": b"t1",
        b"span_id": b"s1",
        b"job_id": b"j1",
        b"v": b"1",
        b"payload": payload[:100],
        b"payload_bytes": str(len(payload)).encode(),
    }
    stream = keys.stream("jobs:backfill")
    assert (server.xlen(stream), server.xpending(stream, GROUP)["pending"]) == (0, 0)
    assert not server.exists(keys.attempts, keys.errors)


def test_whoever_waits_gets_an_error_result(
    entries: Entries,
    server: redis.Redis,
    keys: Keys,
    send: Callable[..., str],
    result: Callable[..., Result],
) -> None:
    begun = entries.begin("jobs", send())
    assert begun is not None
    entries.bury(begun, FAILURE, result())
    [(entry_id, fields)] = server.xrange(keys.results)
    assert (fields[b"trace_id"], fields[b"job_id"]) == (b"t1", b"j1")
    assert server.hgetall(keys.trace("t1")) == {b"j1": entry_id}
    assert server.get(keys.done("j1")) == b"- " + entry_id


@pytest.fixture
def bury(entries: Entries, send: Callable[..., str], result: Callable[..., Result]) -> Callable[[str], None]:
    """Bury a job j1 of this trace."""

    def bury(trace_id: str) -> None:
        begun = entries.begin("jobs", send())
        assert begun is not None
        assert entries.bury(begun, FAILURE, result("j1", trace_id))

    return bury


def test_a_job_with_a_result_in_this_trace_gets_no_second_one(
    bury: Callable[[str], None], server: redis.Redis, keys: Keys
) -> None:
    server.set(keys.done("j1"), "hash 1-1")
    server.hset(keys.trace("t1"), "j1", "1-1")
    bury("t1")
    assert not server.exists(keys.results)
    assert (server.get(keys.done("j1")), server.hget(keys.trace("t1"), "j1")) == (b"hash 1-1", b"1-1")
    assert server.xlen(keys.dead) == 1


def test_whoever_waits_in_another_trace_than_the_good_result_gets_an_error_once(
    bury: Callable[[str], None], server: redis.Redis, keys: Keys
) -> None:
    server.set(keys.done("j1"), "hash 1-1")
    server.hset(keys.trace("t1"), "j1", "1-1")
    bury("t2")
    bury("t2")
    [(entry_id, fields)] = server.xrange(keys.results)
    assert (fields[b"trace_id"], fields[b"job_id"]) == (b"t2", b"j1")
    assert server.hgetall(keys.trace("t2")) == {b"j1": entry_id}
    assert (server.get(keys.done("j1")), server.hget(keys.trace("t1"), "j1")) == (b"hash 1-1", b"1-1")
    assert server.xlen(keys.dead) == 2


def test_a_job_that_fails_again_gets_an_error_again(
    bury: Callable[[str], None], server: redis.Redis, keys: Keys
) -> None:
    bury("t1")
    bury("t1")
    [_, (last, _)] = server.xrange(keys.results)
    assert server.get(keys.done("j1")) == b"- " + last
    assert server.hget(keys.trace("t1"), "j1") == last


def test_without_ids_and_payload(entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str]) -> None:
    begun = entries.begin("jobs", send({b"\xff": b"\xfe"}))
    assert begun is not None
    assert entries.bury(begun, FAILURE, None)
    [(_, letter)] = server.xrange(keys.dead)
    assert set(letter) == {b"reason", b"field", b"error", b"attempts", b"stream", b"entry_id"}
    assert not server.exists(keys.results)


def test_an_entry_that_another_worker_took_over_is_left_alone(
    worker: Callable[..., Entries],
    server: redis.Redis,
    keys: Keys,
    send: Callable[..., str],
    result: Callable[..., Result],
) -> None:
    late = worker("here:1")
    begun = late.begin("jobs", send())
    assert begun is not None
    worker("there:2", lease_ms=0).begin("jobs", begun.entry_id)
    assert not late.bury(begun, FAILURE, result())
    assert not server.exists(keys.dead, keys.results, keys.done("j1"))


def test_the_dead_stream_is_capped(server: redis.Redis, keys: Keys, send: Callable[..., str]) -> None:
    few = Entries(server, keys, "here:1", Retention(60, max_dead=10, max_dead_payload_bytes=10_000), Attempts(5))
    for _ in range(50):
        begun = few.begin("jobs", send(b"x" * 5_000))
        assert begun is not None
        few.bury(begun, FAILURE, None)
    assert 10 <= server.xlen(keys.dead) < 20
