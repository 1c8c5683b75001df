from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import GROUP, Client, ClientSettings, GroupStatus, Keys, StreamStatus
from groundwire.schemas import QueueError

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.client import QueueStatus


def test_a_server_that_has_seen_nothing(client: Client) -> None:
    status = client.status()
    assert status.streams == {name: StreamStatus(0, 0, 0, 0, None) for name in ("jobs", "jobs:backfill")}
    assert (status.backlog, status.oldest_age_s, status.results_per_minute) == (0, None, None)
    assert (status.workers, status.intakes, status.results, status.dead, status.dropped, status.cut) == (0,) * 6
    assert status.groups == {}


def now_ms(server: redis.Redis) -> int:
    seconds, micros = server.time()
    return seconds * 1000 + micros // 1000


def test_where_the_jobs_are(client: Client, server: redis.Redis, keys: Keys) -> None:
    stream = keys.stream("jobs")
    server.xgroup_create(stream, GROUP, id="0", mkstream=True)
    for n in range(6):
        server.xadd(stream, {"v": "1", "payload": "{}"}, id=f"{now_ms(server) - 100_000 + n}-0")
    server.xreadgroup(GROUP, "intake:h:1", {stream: ">"}, count=3)
    server.xreadgroup(GROUP, "worker:h:2", {stream: ">"}, count=1)
    server.xreadgroup(GROUP, "retry:1500", {stream: ">"}, count=1)
    status = client.status()
    jobs = status.streams["jobs"]
    assert (jobs.backlog, jobs.in_work, jobs.sent, jobs.backed_off) == (6, 1, 3, 1)
    assert status.backlog == 6
    assert jobs.oldest_age_s is not None
    assert jobs.oldest_age_s >= 100
    assert status.oldest_age_s == jobs.oldest_age_s


def test_who_is_alive(client: Client, server: redis.Redis, keys: Keys) -> None:
    now = now_ms(server)
    alive = {"worker:h:1": now, "worker:h:2": now - 5_000, "worker:gone:3": now - 60_000, "intake:h:4": now}
    server.zadd(keys.alive, alive)
    status = client.status()
    assert (status.workers, status.intakes) == (2, 1)


def test_results_groups_and_counters(
    client: Client, server: redis.Redis, keys: Keys, publish: Callable[..., str]
) -> None:
    for n in range(5):
        publish("t1", f"j{n}")
    server.xgroup_create(keys.results, "readers", id="0")
    server.xreadgroup("readers", "one", {keys.results: ">"}, count=2)
    server.hset(keys.trims, mapping={"trimmed": 10, "cut": 7, "cut:readers": 3})
    server.set(keys.dropped, 4)
    server.xadd(keys.dead, {"reason": "not_json"})
    status = client.status()
    assert status.groups == {"readers": GroupStatus(pending=2, lag=3, cut=3)}
    assert (status.results, status.dead, status.dropped, status.cut) == (5, 1, 4, 7)


@pytest.mark.parametrize(
    ("samples", "rate"),
    [
        ([(10, 80), (20, 70), (60, 40), (70, 30)], 60.0),  # the youngest that is a minute old: 40 of 100 were there
        ([(10, 90), (30, 70)], 60.0),  # an intake that has just started: 30 in half a minute
        ([(120, 0)], 50.0),
        ([(200, 0)], None),
        ([], None),
        ([(60, 300)], 0.0),  # somebody emptied the stream
    ],
)
def test_the_rate_of_the_last_minute(
    client: Client, server: redis.Redis, keys: Keys, samples: list[tuple[int, int]], rate: float | None
) -> None:
    server.hset(keys.trims, "trimmed", 100)
    now = now_ms(server)
    for age_s, total in samples:
        server.rpush(keys.published, f"{now - age_s * 1000} {total}")
    shown = client.status().results_per_minute
    assert shown == (None if rate is None else pytest.approx(rate, rel=0.05))


def status_of_backlog(client: Client, server: redis.Redis, keys: Keys, number: int) -> tuple[QueueStatus, int]:
    """The state with so many jobs waiting, and how many commands it took to find out."""
    with server.pipeline(transaction=False) as pipeline:
        for _ in range(number):
            pipeline.xadd(keys.stream("jobs"), {"v": "1", "payload": "{}"})
        pipeline.execute()
    client.ping()  # a new connection has commands of its own
    before = server.info("stats")
    status = client.status()
    return status, server.info("stats")["total_commands_processed"] - before["total_commands_processed"]


def test_the_state_of_a_long_backlog_takes_no_more_commands(client: Client, server: redis.Redis, keys: Keys) -> None:
    few, commands_for_few = status_of_backlog(client, server, keys, 1)
    many, commands_for_many = status_of_backlog(client, server, keys, 5_000)
    assert (few.backlog, many.backlog) == (1, 5_001)
    assert commands_for_few == commands_for_many


def test_garbage_in_the_counters_hides_nothing(client: Client, server: redis.Redis, keys: Keys) -> None:
    server.hset(keys.trims, mapping={"trimmed": "many", "cut": b"\xff", "\x00": "5"})
    server.rpush(keys.published, "yesterday", b"\xff \xff", f"{now_ms(server) - 70_000} some")
    server.set(keys.dropped, "lots")
    server.xadd(keys.stream("jobs"), {"v": "1"})
    status = client.status()
    assert (status.backlog, status.cut, status.dropped, status.results_per_minute) == (1, 0, 0, 0.0)


def test_a_key_of_another_type_is_told(client: Client, server: redis.Redis, keys: Keys) -> None:
    server.set(keys.stream("jobs"), "no stream")
    with pytest.raises(QueueError, match="WRONGTYPE"):
        client.status()


def test_an_unreachable_server_is_told(settings: ClientSettings) -> None:
    changed: dict[str, Any] = {"redis_url": "redis://127.0.0.1:1/0"}
    with Client(settings.model_copy(update=changed)) as client, pytest.raises(QueueError, match="no answer"):
        client.status()
