from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from groundwire.client import GROUP, Keys
from groundwire.worker.queue import Attempts, Begun, Entries, Published, Retention

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.schemas import Result


@pytest.fixture
def begin(entries: Entries, send: Callable[..., str]) -> Callable[[], Begun]:
    def begin() -> Begun:
        begun = entries.begin("jobs", send())
        assert begun is not None
        return begun

    return begin


def assert_done_with(server: redis.Redis, keys: Keys) -> None:
    assert server.xlen(keys.stream("jobs")) == 0
    assert server.xpending(keys.stream("jobs"), GROUP)["pending"] == 0
    assert not server.exists(keys.attempts, keys.errors)


def test_publishes_where_readers_look(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    assert entries.publish(begin(), result(), "hash") is Published.PUBLISHED
    [(entry_id, fields)] = server.xrange(keys.results)
    ids = {b"trace_id": b"t1", b"span_id": b"s1", b"job_id": b"j1", b"v": b"1"}
    assert {name: fields[name] for name in ids} == ids
    assert json.loads(fields[b"payload"])["job_id"] == "j1"
    assert server.hgetall(keys.trace("t1")) == {b"j1": entry_id}
    assert server.get(keys.done("j1")) == b"hash " + entry_id
    assert 0 < server.pttl(keys.trace("t1")) <= 60_000
    assert 0 < server.pttl(keys.done("j1")) <= 60_000
    assert_done_with(server, keys)


def test_the_same_job_again_is_a_duplicate(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    entries.publish(begin(), result(), "hash")
    assert entries.publish(begin(), result(), "hash") is Published.DUPLICATE
    assert server.xlen(keys.results) == 1
    assert_done_with(server, keys)


def test_another_content_under_the_same_id_is_a_conflict(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    entries.publish(begin(), result(), "hash")
    marker = server.get(keys.done("j1"))
    assert entries.publish(begin(), result(), "other") is Published.CONFLICT
    assert server.xlen(keys.results) == 1
    assert server.get(keys.done("j1")) == marker
    assert server.xlen(keys.stream("jobs")) == 1  # the worker buries it


def test_twice_is_lost(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    begun = begin()
    entries.publish(begun, result(), "hash")
    assert entries.publish(begun, result(), "hash") is Published.LOST
    assert server.xlen(keys.results) == 1


def test_an_entry_that_another_worker_took_over_is_lost(
    worker: Callable[..., Entries],
    server: redis.Redis,
    keys: Keys,
    begin: Callable[[], Begun],
    result: Callable[..., Result],
) -> None:
    begun = begin()
    other = worker("there:2", lease_ms=0)
    taken = other.begin("jobs", begun.entry_id)
    assert taken is not None
    assert worker("here:1").publish(begun, result(), "hash") is Published.LOST
    assert not server.exists(keys.results, keys.trace("t1"), keys.done("j1"))
    assert other.publish(taken, result(), "hash") is Published.PUBLISHED


def test_a_trace_gathers_its_jobs(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    for job_id in ("a", "b"):
        entries.publish(begin(), result(job_id), job_id)
    assert set(server.hkeys(keys.trace("t1"))) == {b"a", b"b"}


def test_a_dead_letters_result_does_not_stand_in_the_way(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    server.set(keys.done("j1"), "- 1-1")
    assert entries.publish(begin(), result(), "hash") is Published.PUBLISHED
    assert server.get(keys.done("j1")).startswith(b"hash ")


def test_what_the_same_worker_began_with_anew_is_lost_for_the_earlier_attempt(
    worker: Callable[..., Entries],
    server: redis.Redis,
    keys: Keys,
    send: Callable[..., str],
    result: Callable[..., Result],
) -> None:
    entries = worker("here:1", lease_ms=0)
    stood_still = entries.begin("jobs", send())
    assert stood_still is not None
    worker("there:2", lease_ms=0).begin("jobs", stood_still.entry_id)
    again = entries.begin("jobs", stood_still.entry_id)
    assert again is not None
    assert entries.publish(stood_still, result(), "hash") is Published.LOST
    assert not server.exists(keys.results)
    assert entries.publish(again, result(), "hash") is Published.PUBLISHED


def test_garbage_under_the_keys_of_a_job_does_not_stand_in_the_way(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    server.lpush(keys.done("j1"), "garbage")
    server.set(keys.trace("t1"), "garbage")
    assert entries.publish(begin(), result(), "hash") is Published.PUBLISHED
    [(entry_id, _)] = server.xrange(keys.results)
    assert server.hgetall(keys.trace("t1")) == {b"j1": entry_id}
    assert server.get(keys.done("j1")) == b"hash " + entry_id


@pytest.fixture
def keeping(server: redis.Redis, keys: Keys) -> Entries:
    """A worker that keeps jobs for an hour."""
    retention = Retention(60, max_dead=1000, max_dead_payload_bytes=100, keep_jobs_s=3600)
    return Entries(server, keys, "here:1", retention, Attempts(5, 60_000))


def kept(server: redis.Redis, keys: Keys) -> list[bytes]:
    return [fields[b"payload"] for _, fields in server.xrange(keys.scored)]


def test_no_job_is_kept_unless_it_is_asked_for(
    entries: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    entries.publish(begin(), result(), "hash")
    assert not server.exists(keys.scored)


def test_a_job_is_kept_as_it_came_for_as_long_as_asked(
    keeping: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    begun = begin()
    keeping.publish(begun, result(), "hash")
    assert keeping.publish(begin(), result(), "hash") is Published.DUPLICATE
    assert kept(server, keys) == [begun.payload]
    assert 3_500_000 < server.pttl(keys.scored) <= 3_600_000


def test_old_jobs_go(
    keeping: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    for n in range(500):  # a server trims whole nodes of a stream, of a hundred entries by default
        server.xadd(keys.scored, {"payload": "old"}, id=f"1-{n + 1}")
    keeping.publish(begin(), result(), "hash")
    assert server.xlen(keys.scored) <= 100


def test_a_job_that_was_scored_once_more_is_not_kept_twice(
    keeping: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    again = result().model_copy(update={"rescored_from": "j0"})
    assert keeping.publish(begin(), again, "hash") is Published.PUBLISHED
    assert not server.exists(keys.scored)


def test_garbage_where_jobs_are_kept_does_not_stand_in_the_way(
    keeping: Entries, server: redis.Redis, keys: Keys, begin: Callable[[], Begun], result: Callable[..., Result]
) -> None:
    server.set(keys.scored, "no stream")
    assert keeping.publish(begin(), result(), "hash") is Published.PUBLISHED
    assert len(kept(server, keys)) == 1
