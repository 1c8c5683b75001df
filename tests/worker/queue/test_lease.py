from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.client import GROUP, Keys
from groundwire.worker.queue.lease import held

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.worker.queue import Entries
    from groundwire.worker.queue.entries import Begun

LEASE_MS = 150


@pytest.fixture
def idle_ms(server: redis.Redis, keys: Keys) -> Callable[[Begun], int]:
    """Wait a moment on the server, then ask how long ago an entry was claimed or renewed."""

    def idle_ms(entry: Begun) -> int:
        server.blpop([keys.prefix + "nothing"], timeout=0.01)
        [pending] = server.xpending_range(keys.stream(entry.stream), GROUP, entry.entry_id, entry.entry_id, 1)
        return int(pending["time_since_delivered"])

    return idle_ms


def begin(entries: Entries, entry_id: str) -> Begun:
    begun = entries.begin("jobs", entry_id)
    assert begun is not None
    return begun


def test_a_renewed_lease_begins_anew(
    entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str], idle_ms: Callable[[Begun], int]
) -> None:
    entry = begin(entries, send())
    server.xclaim(keys.stream("jobs"), GROUP, "worker:here:1", 0, [entry.entry_id], idle=3_600_000, justid=True)
    assert entries.renew(entry)
    assert idle_ms(entry) < 3_600_000
    assert server.hget(keys.attempts, f"jobs/{entry.entry_id}") == b"1"


def test_what_another_worker_took_over_is_not_taken_back(
    worker: Callable[..., Entries], send: Callable[..., str]
) -> None:
    late = worker("here:1")
    entry = begin(late, send())
    begin(worker("there:2", lease_ms=0), entry.entry_id)
    assert not late.renew(entry)
    assert worker("there:2").renew(entry)


def test_what_is_gone_is_not_renewed(
    entries: Entries, server: redis.Redis, keys: Keys, send: Callable[..., str]
) -> None:
    entry = begin(entries, send())
    server.xack(keys.stream("jobs"), GROUP, entry.entry_id)
    assert not entries.renew(entry)


def test_a_lease_is_renewed_while_it_is_held_and_runs_out_after(
    worker: Callable[..., Entries], send: Callable[..., str], idle_ms: Callable[[Begun], int]
) -> None:
    ours, theirs = worker("here:1", lease_ms=LEASE_MS), worker("there:2", lease_ms=LEASE_MS)
    entry = begin(ours, send())
    with held(ours, entry):
        renewals, before = 0, 0
        while renewals < 4:
            now = idle_ms(entry)
            renewals += now < before
            before = now
    while (taken := theirs.begin("jobs", entry.entry_id)) is None:
        idle_ms(entry)
    assert taken.attempt == 2


def test_a_lease_that_another_worker_has_is_let_go(
    worker: Callable[..., Entries], send: Callable[..., str], idle_ms: Callable[[Begun], int]
) -> None:
    ours = worker("here:1", lease_ms=LEASE_MS)
    entry = begin(ours, send())
    with held(ours, entry):
        begin(worker("there:2", lease_ms=0), entry.entry_id)
        while idle_ms(entry) < LEASE_MS:
            pass
    assert not ours.renew(entry)
