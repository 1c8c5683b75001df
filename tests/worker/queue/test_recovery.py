from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from groundwire.client import GROUP, Keys
from groundwire.worker.queue.messages import Message, encode
from groundwire.worker.queue.recovery import LISTED, Pending, Recovery

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.worker.queue import Entries


@pytest.fixture
def recovery(server: redis.Redis, keys: Keys) -> Callable[..., Recovery]:
    """An intake that waits for nobody."""

    def recovery(name: str = "here:9", lease_ms: int = 0) -> Recovery:
        return Recovery(server, keys, f"intake:{name}", lease_ms=lease_ms, sent_ms=0)

    return recovery


def holders(recovery: Recovery) -> dict[str, str]:
    return {one.entry_id: one.consumer for one in recovery.page("jobs", "0-0")}


def test_a_lease_that_ran_out_is_taken_over_and_the_silence_noted(
    recovery: Callable[..., Recovery], entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entry_id = send()
    entries.begin("jobs", entry_id)
    taker = recovery()
    assert taker.reclaim("jobs", taker.page("jobs", "0-0")) == {entry_id}
    assert holders(taker) == {entry_id: "intake:here:9"}
    line = server.hget(keys.errors, f"jobs/{entry_id}")
    assert re.fullmatch(rb"attempt 1: the worker died or stood still; worker:here:1; 20.*Z", line)


def test_what_was_held_and_not_begun_with_is_not_charged(
    recovery: Callable[..., Recovery], entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entry_id = send()
    assert entries.hold("jobs", [entry_id]) == 1
    taker = recovery()
    assert taker.reclaim("jobs", taker.page("jobs", "0-0")) == {entry_id}
    assert not server.exists(keys.attempts, keys.errors)


def test_a_sign_of_life_meanwhile_keeps_the_entry(
    recovery: Callable[..., Recovery], entries: Entries, send: Callable[..., str]
) -> None:
    entry_id = send()
    entries.begin("jobs", entry_id)
    taker = recovery(lease_ms=60_000)
    assert taker.reclaim("jobs", taker.page("jobs", "0-0")) == frozenset()
    assert holders(taker) == {entry_id: "worker:here:1"}


def test_of_two_intakes_one_takes_an_entry(
    recovery: Callable[..., Recovery], entries: Entries, send: Callable[..., str]
) -> None:
    entry_id = send()
    entries.begin("jobs", entry_id)
    seen = recovery().page("jobs", "0-0")
    assert [recovery(name).reclaim("jobs", seen) for name in ("a:1", "b:2")] == [{entry_id}, frozenset()]


def test_a_backed_off_entry_waits_for_its_time(
    recovery: Callable[..., Recovery], entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entry_id = send()
    begun = entries.begin("jobs", entry_id)
    assert begun is not None
    assert entries.retry(begun, "OSError in the scorer", 60_000)
    assert entries.begin("jobs", entry_id) is None  # not by a message that came twice either
    taker = recovery()
    assert taker.reclaim("jobs", taker.page("jobs", "0-0")) == frozenset()
    server.xclaim(keys.stream("jobs"), GROUP, "retry:60000", 0, [entry_id], idle=60_000, justid=True)
    assert taker.reclaim("jobs", taker.page("jobs", "0-0")) == {entry_id}
    again = entries.begin("jobs", entry_id)
    assert again is not None
    assert again.attempt == 2
    assert not entries.retry(begun, "OSError in the scorer", 1)  # the earlier attempt is over
    line = server.hget(keys.errors, f"jobs/{entry_id}")
    assert re.fullmatch(rb"attempt 1: OSError in the scorer; worker:here:1; 20.*Z", line)


@pytest.mark.parametrize("name", ["worker:x:1", "held:x:1", "intake:x:1", "retry:nonsense", "somebody", "jobs:é"])
def test_whoever_has_an_entry_it_is_found(
    recovery: Callable[..., Recovery], server: redis.Redis, keys: Keys, name: str
) -> None:
    entry_id = server.xadd(keys.stream("jobs"), {"v": "1"}).decode()
    server.xreadgroup(GROUP, name, {keys.stream("jobs"): ">"})
    taker = recovery()
    assert taker.reclaim("jobs", taker.page("jobs", "0-0")) == {entry_id}


def test_pages_walk_the_whole_list(recovery: Callable[..., Recovery], server: redis.Redis, keys: Keys) -> None:
    number = 1_100
    with server.pipeline() as pipeline:
        for _ in range(number):
            pipeline.xadd(keys.stream("jobs"), {"v": "1"})
        pipeline.execute()
    server.xreadgroup(GROUP, "intake:gone:1", {keys.stream("jobs"): ">"})
    taker, after, seen = recovery(), "0-0", list[Pending]()
    while page := taker.page("jobs", after):
        seen += page
        after = page[-1].entry_id
    assert len({one.entry_id for one in seen}) == len(seen) == number


def test_only_what_no_worker_has_is_on_its_way(
    recovery: Callable[..., Recovery], entries: Entries, send: Callable[..., str]
) -> None:
    ids = [send() for _ in range(4)]
    send(stream="jobs:backfill")
    entries.begin("jobs", ids[0])
    entries.hold("jobs", ids[1:2])
    assert recovery().on_their_way() == 3


def test_the_list_is_read_unless_it_is_too_long(
    recovery: Callable[..., Recovery], server: redis.Redis, keys: Keys
) -> None:
    server.lpush(keys.celery, "garbage", encode(Message("jobs", ["1-0", "2-0"])), b"\xff")
    assert recovery().listed() == {("jobs", "1-0"), ("jobs", "2-0")}
    server.lpush(keys.celery, *["garbage"] * LISTED)
    assert recovery().listed() is None


def test_consumers_are_forgotten_when_they_have_nothing(
    entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entries.begin("jobs", send())
    server.xgroup_createconsumer(keys.stream("jobs"), GROUP, "worker:gone:1")
    assert Recovery(server, keys, "intake:here:9").forget_consumers() == 0  # they may be back at once
    assert Recovery(server, keys, "intake:here:9").forget_consumers(0) == 2  # and the test's own intake
    assert [one["name"] for one in server.xinfo_consumers(keys.stream("jobs"), GROUP)] == [b"worker:here:1"]
    assert server.xpending(keys.stream("jobs"), GROUP)["pending"] == 1


def test_keys_of_another_type_are_set_aside(recovery: Callable[..., Recovery], server: redis.Redis, keys: Keys) -> None:
    server.set(keys.attempts, "garbage")
    server.hset(keys.celery, "garbage", 1)
    server.delete(keys.stream("jobs"))
    server.lpush(keys.stream("jobs"), "garbage")
    renamed = recovery().set_aside()
    assert [one.partition(":aside:")[0] for one in renamed] == [keys.stream("jobs"), keys.attempts, keys.celery]
    assert not server.exists(keys.stream("jobs"), keys.attempts, keys.celery)
    assert server.exists(*renamed) == 3
    assert recovery().set_aside() == []


def test_handed_back_entries_lose_their_attempt_and_others_keep_theirs(
    worker: Callable[..., Entries], server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    first, again, other = send(), send(), send()
    here, there = worker("here:1", lease_ms=0), worker("there:2")
    there.begin("jobs", again)
    there.begin("jobs", other)
    here.begin("jobs", first)
    here.begin("jobs", again)
    assert here.release("jobs", [first, again, other]) == 2
    counts = {f"jobs/{again}".encode(): b"1", f"jobs/{other}".encode(): b"1"}
    assert server.hgetall(keys.attempts) == counts
