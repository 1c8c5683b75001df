from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from groundwire.client import GROUP, Keys
from groundwire.worker.queue.lease import Leases

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.worker.queue import Begun, Entries

LIMIT_S = 600.0
OLD_MS = 3_600_000
"""An idle time that nothing but a renewal makes shorter."""


def nothing() -> None:
    """For a job that stays within its limit."""


def begin(entries: Entries, entry_id: str) -> Begun:
    begun = entries.begin("jobs", entry_id)
    assert begun is not None
    return begun


@pytest.fixture
def holder(server: redis.Redis, keys: Keys) -> Callable[[str], tuple[str, int]]:
    """Who has an entry, and for how many milliseconds it was without a sign of life."""

    def holder(entry_id: str) -> tuple[str, int]:
        [pending] = server.xpending_range(keys.stream("jobs"), GROUP, entry_id, entry_id, 1)
        return pending["consumer"].decode(), int(pending["time_since_delivered"])

    return holder


@pytest.fixture
def age(server: redis.Redis, keys: Keys, holder: Callable[[str], tuple[str, int]]) -> Callable[[str], None]:
    """Make an entry look as if nothing had been heard of it for an hour."""

    def age(entry_id: str) -> None:
        server.xclaim(keys.stream("jobs"), GROUP, holder(entry_id)[0], 0, [entry_id], idle=OLD_MS, justid=True)

    return age


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.01)


def test_a_renewed_lease_begins_anew(
    entries: Entries, send: Callable[..., str], holder: Callable[[str], tuple[str, int]], age: Callable[[str], None]
) -> None:
    held, in_work = send(), send()
    entries.hold("jobs", [held])
    begin(entries, in_work)
    age(held)
    age(in_work)
    assert entries.renew("jobs", [held, in_work]) == []
    assert (holder(held)[0], holder(in_work)[0]) == ("held:here:1", "worker:here:1")
    assert max(holder(held)[1], holder(in_work)[1]) < OLD_MS


def test_what_another_worker_has_or_nobody_is_not_renewed(
    worker: Callable[..., Entries], server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    late = worker("here:1")
    taken, gone = begin(late, send()), begin(late, send())
    begin(worker("there:2", lease_ms=0), taken.entry_id)
    server.xack(keys.stream("jobs"), GROUP, gone.entry_id)
    assert late.renew("jobs", [taken.entry_id, gone.entry_id]) == [taken.entry_id, gone.entry_id]
    assert worker("there:2").renew("jobs", [taken.entry_id]) == []


def test_everything_of_a_message_is_renewed_while_a_job_is_in_work(
    entries: Entries, send: Callable[..., str], holder: Callable[[str], tuple[str, int]], age: Callable[[str], None]
) -> None:
    first, second = send(), send()
    leases = Leases(entries, LIMIT_S)
    with leases.message("jobs", [first, second]), leases.work(begin(entries, first), nothing):
        age(first)
        age(second)
        until(lambda: max(holder(first)[1], holder(second)[1]) < OLD_MS)
    assert holder(first)[0] == holder(second)[0] == "intake:released"


def test_what_was_not_begun_with_is_handed_back_and_not_charged(
    entries: Entries,
    server: redis.Redis,
    keys: Keys,
    send: Callable[..., str],
    holder: Callable[[str], tuple[str, int]],
) -> None:
    first, second = send(), send()
    leases = Leases(entries, LIMIT_S)
    with leases.message("jobs", [first, second]):
        begin(entries, first)
        leases.done(first)
    assert [holder(one)[0] for one in (first, second)] == ["worker:here:1", "intake:released"]
    assert server.hgetall(keys.attempts) == {f"jobs/{first}".encode(): b"1"}


def test_a_worker_that_stops_hands_back_the_job_that_it_is_at(
    entries: Entries,
    server: redis.Redis,
    keys: Keys,
    send: Callable[..., str],
    holder: Callable[[str], tuple[str, int]],
) -> None:
    entry_id = send()
    stop_at = [0.0]
    leases = Leases(entries, LIMIT_S, lambda: stop_at[0])
    with leases.message("jobs", [entry_id]), leases.work(begin(entries, entry_id), nothing):
        stop_at[0] = time.monotonic()
        until(lambda: holder(entry_id)[0] == "intake:released")
    assert not server.exists(keys.attempts)
    assert holder(entry_id)[1] >= OLD_MS  # an intake sends it again when it next looks


def test_life_is_shown_while_a_job_is_in_work(entries: Entries, send: Callable[..., str]) -> None:
    signs: list[None] = []
    entry_id = send()
    leases = Leases(entries, LIMIT_S, alive=lambda: signs.append(None))
    with leases.message("jobs", [entry_id]), leases.work(begin(entries, entry_id), nothing):
        until(lambda: len(signs) > 2)
    assert len(signs) > 2


def test_what_a_renewal_took_for_lost_before_it_was_begun_with_is_renewed_again(
    entries: Entries, send: Callable[..., str], holder: Callable[[str], tuple[str, int]], age: Callable[[str], None]
) -> None:
    entry_id = send()
    leases = Leases(entries, LIMIT_S)
    with leases.message("jobs", [entry_id]):
        leases.done(entry_id)
        with leases.work(begin(entries, entry_id), nothing):
            age(entry_id)
            until(lambda: holder(entry_id)[1] < OLD_MS)
