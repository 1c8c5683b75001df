from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Client, DeadLetter, Keys
from groundwire.schemas import QueueError

if TYPE_CHECKING:
    import redis

LETTER = {
    "reason": "unsupported_version",
    "field": "v",
    "error": "v: 2 is not a version that this release reads; it reads 1",
    "attempts": "1",
    "stream": "jobs:backfill",
    "entry_id": "7-0",
    "trace_id": "t1",
    "span_id": "s1",
    "job_id": "j1",
    "v": "1",
    "payload": b'{"v":2}',
    "payload_bytes": "7",
}


def test_a_letter_is_read_whole(client: Client, server: redis.Redis, keys: Keys) -> None:
    entry_id = server.xadd(keys.dead, LETTER).decode()
    letter = client.dead.show(entry_id)
    assert letter == DeadLetter(
        entry_id=entry_id,
        reason="unsupported_version",
        field="v",
        error="v: 2 is not a version that this release reads; it reads 1",
        attempts=1,
        stream="jobs:backfill",
        source_entry_id="7-0",
        job_id="j1",
        trace_id="t1",
        span_id="s1",
        payload=b'{"v":2}',
        payload_bytes=7,
    )
    assert letter.replayable


def test_all_are_listed_oldest_first(client: Client, server: redis.Redis, keys: Keys) -> None:
    ids = [server.xadd(keys.dead, LETTER).decode() for _ in range(120)]
    assert [letter.entry_id for letter in client.dead.list()] == ids


def test_garbage_on_the_dead_stream_hides_nothing(client: Client, server: redis.Redis, keys: Keys) -> None:
    server.xadd(keys.dead, {b"\xff": b"\xfe", "attempts": "many", "payload_bytes": "-1"})
    server.xadd(keys.dead, LETTER)
    assert [letter.reason for letter in client.dead.list()] == ["", "unsupported_version"]


def test_some_are_listed_by_reason_and_age(client: Client, server: redis.Redis, keys: Keys) -> None:
    seconds, _ = server.time()
    old = server.xadd(keys.dead, LETTER, id=f"{(seconds - 100) * 1000}-0").decode()
    other = server.xadd(keys.dead, LETTER | {"reason": "not_json"}, id=f"{(seconds - 99) * 1000}-0").decode()
    young = server.xadd(keys.dead, LETTER).decode()

    def listed(**wanted: Any) -> list[str]:
        return [letter.entry_id for letter in client.dead.list(**wanted)]

    assert listed(reason="not_json") == [other]
    assert listed(older_than_s=50) == [old, other]
    assert listed(older_than_s=50, reason="unsupported_version") == [old]
    assert listed(older_than_s=1e12) == []
    assert listed() == [old, other, young]


def test_a_purge_removes_what_it_is_told_and_counts_what_was_there(
    client: Client, server: redis.Redis, keys: Keys
) -> None:
    ids = [server.xadd(keys.dead, LETTER).decode() for _ in range(5)]
    assert client.dead.purge([*ids[:3], "1-1"]) == 3
    assert client.dead.purge([]) == 0
    assert [letter.entry_id for letter in client.dead.list()] == ids[3:]


def test_a_replay_moves_the_job_back(client: Client, server: redis.Redis, keys: Keys) -> None:
    entry_id = server.xadd(keys.dead, LETTER).decode()
    new_id = client.dead.replay(entry_id)
    assert server.xrange(keys.stream("jobs:backfill")) == [(new_id.encode(), {b"v": b"1", b"payload": b'{"v":2}'})]
    assert server.xlen(keys.dead) == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"payload_bytes": "8"}, "7 of 8 bytes of its job was kept"),
        ({"payload": None}, "nothing of its job was kept"),
        ({"stream": "results"}, "it names no job stream"),
    ],
)
def test_what_is_not_whole_is_not_replayed(
    client: Client, server: redis.Redis, keys: Keys, change: dict[str, str | None], why: str
) -> None:
    fields = {name: value for name, value in (LETTER | change).items() if value is not None}
    entry_id = server.xadd(keys.dead, fields).decode()
    with pytest.raises(QueueError, match=why):
        client.dead.replay(entry_id)
    assert server.xlen(keys.dead) == 1


@pytest.mark.parametrize("entry_id", ["5-0", "nonsense"])
def test_an_unknown_letter_is_told(client: Client, entry_id: str) -> None:
    with pytest.raises(QueueError):
        client.dead.replay(entry_id)
