from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import GROUP, Keys

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.worker.queue import Entries

MAX_ATTEMPTS = 5
"""As the fixture has it."""


def holder(server: redis.Redis, keys: Keys, entry_id: str) -> str:
    [pending] = server.xpending_range(keys.stream("jobs"), GROUP, entry_id, entry_id, 1)
    return pending["consumer"].decode()


def test_gives_the_payload_and_takes_the_entry(
    entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str], job: dict[str, Any]
) -> None:
    entry_id = send(job)
    begun = entries.begin("jobs", entry_id)
    assert begun is not None
    assert (begun.stream, begun.entry_id, begun.version, begun.attempt) == ("jobs", entry_id, b"1", 1)
    assert json.loads(begun.payload or b"") == job
    assert 0 <= begun.queued_ms < 60_000
    assert holder(server, keys, entry_id) == "worker:here:1"
    assert server.hgetall(keys.attempts) == {f"jobs/{entry_id}".encode(): b"1"}


def test_counts_the_start_of_every_worker(
    worker: Callable[..., Entries], send: Callable[..., str], job: dict[str, Any]
) -> None:
    entry_id = send(job)
    starts = [worker(f"here:{n}", lease_ms=0).begin("jobs", entry_id) for n in range(3)]
    assert [begun.attempt for begun in starts if begun] == [1, 2, 3]


def test_a_start_whose_reply_got_lost_is_no_second_attempt(entries: Entries, send: Callable[..., str]) -> None:
    entry_id = send()
    assert [begun.attempt for _ in range(2) if (begun := entries.begin("jobs", entry_id))] == [1, 1]


def test_no_attempt_is_counted_beyond_the_last(
    worker: Callable[..., Entries], server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entry_id = send()
    starts = [worker(f"here:{n}", lease_ms=0).begin("jobs", entry_id) for n in range(MAX_ATTEMPTS + 2)]
    assert [(begun.attempt, begun.used_up) for begun in starts if begun][-3:] == [(5, False), (5, True), (5, True)]
    assert server.hget(keys.attempts, f"jobs/{entry_id}") == b"5"


def test_a_count_that_is_none_begins_anew(
    entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entry_id = send()
    server.hset(keys.attempts, f"jobs/{entry_id}", "garbage")
    begun = entries.begin("jobs", entry_id)
    assert begun is not None
    assert begun.attempt == 1


def test_leaves_an_entry_that_another_worker_holds(
    worker: Callable[..., Entries], server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entry_id = send()
    worker("there:2").begin("jobs", entry_id)
    assert worker("here:1").begin("jobs", entry_id) is None
    assert holder(server, keys, entry_id) == "worker:there:2"
    assert server.hget(keys.attempts, f"jobs/{entry_id}") == b"1"


def test_takes_over_when_the_lease_has_run_out(
    worker: Callable[..., Entries], server: redis.Redis, keys: Keys, send: Callable[..., str], job: dict[str, Any]
) -> None:
    entry_id = send(job)
    worker("there:2").begin("jobs", entry_id)
    begun = worker("here:1", lease_ms=0).begin("jobs", entry_id)
    assert begun is not None
    assert begun.attempt == 2
    assert holder(server, keys, entry_id) == "worker:here:1"


def test_leaves_what_nobody_has_read_yet(entries: Entries, server: redis.Redis, keys: Keys) -> None:
    entry_id = server.xadd(keys.stream("jobs"), {"v": "1", "payload": "{}"}).decode()
    assert entries.begin("jobs", entry_id) is None
    assert not server.exists(keys.attempts)


def test_leaves_what_is_done(
    entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str], job: dict[str, Any]
) -> None:
    entry_id = send(job)
    server.xack(keys.stream("jobs"), GROUP, entry_id)
    server.xdel(keys.stream("jobs"), entry_id)
    assert entries.begin("jobs", entry_id) is None


def test_forgets_an_entry_that_was_deleted_by_hand(
    entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str], job: dict[str, Any]
) -> None:
    entry_id = send(job)
    entries.begin("jobs", entry_id)
    server.xdel(keys.stream("jobs"), entry_id)
    assert entries.begin("jobs", entry_id) is None
    assert server.xpending(keys.stream("jobs"), GROUP)["pending"] == 0
    assert not server.exists(keys.attempts)


def test_the_streams_do_not_share_attempts(
    entries: Entries, server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    fields = {"v": "1", "payload": json.dumps(job)}
    for stream in ("jobs", "jobs:backfill"):
        server.xadd(keys.stream(stream), fields, id="5-5")
        server.xreadgroup(GROUP, "intake:test:1", {keys.stream(stream): ">"})
    starts = [entries.begin(stream, "5-5") for stream in ("jobs", "jobs:backfill")]
    assert [begun.attempt for begun in starts if begun] == [1, 1]


@pytest.mark.parametrize(
    ("fields", "payload", "version"),
    [
        ({"v": "1"}, None, b"1"),
        ({"payload": "{}"}, b"{}", None),
        ({b"\xff": b"\xfe", "x": "y"}, None, None),
        ({"v": "7", "payload": b"\x00\xff"}, b"\x00\xff", b"7"),
        ({"v": "", "payload": ""}, b"", b""),
    ],
)
def test_any_fields(
    entries: Entries, send: Callable[..., str], fields: dict[Any, Any], payload: bytes | None, version: bytes | None
) -> None:
    begun = entries.begin("jobs", send(fields))
    assert begun is not None
    assert (begun.payload, begun.version) == (payload, version)


def test_an_id_from_the_future_was_queued_for_no_time(entries: Entries, server: redis.Redis, keys: Keys) -> None:
    server.xadd(keys.stream("jobs"), {"v": "1", "payload": "{}"}, id="99999999999999-0")
    server.xreadgroup(GROUP, "intake:test:1", {keys.stream("jobs"): ">"})
    begun = entries.begin("jobs", "99999999999999-0")
    assert begun is not None
    assert begun.queued_ms == 0


def test_an_unknown_stream_is_named(entries: Entries) -> None:
    with pytest.raises(ValueError, match="no job stream is called 'results'"):
        entries.begin("results", "1-0")
