from __future__ import annotations

import logging
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from groundwire.client import Client
from groundwire.worker.housekeeping import BATCH, Housekeeping
from groundwire.worker.intake import Intake

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.client import Keys
    from groundwire.worker.settings import WorkerSettings


WAIT_S = 20


@pytest.fixture
def house(server: redis.Redis, keys: Keys, settings: WorkerSettings) -> Callable[..., Housekeeping]:
    def house(keep_results: int = 0, min_result_age_s: int = 0, interval_s: float = 0.0) -> Housekeeping:
        changed = settings.model_copy(update={"keep_results": keep_results, "min_result_age_s": min_result_age_s})
        made = Housekeeping(server, keys, changed, "intake:test", interval_s)
        server.delete(keys.turn)
        return made

    return house


@pytest.fixture
def publish(server: redis.Redis, keys: Keys) -> Callable[[int], list[str]]:
    """Put results onto the stream, long ago; returns their ids."""

    def publish(number: int) -> list[str]:
        start = server.xlen(keys.results) + int(server.hget(keys.trims, "trimmed") or 0)
        ids = [f"{1000 + (start + n) // 3}-{(start + n) % 3}" for n in range(number)]
        for entry_id in ids:
            server.xadd(keys.results, {"payload": "{}"}, id=entry_id)
        return ids

    return publish


def read(server: redis.Redis, keys: Keys, group: str, count: int) -> list[str]:
    reply = server.xreadgroup(group, "reader", {keys.results: ">"}, count=count)
    return [entry_id.decode() for entry_id, _ in reply[0][1]] if reply else []


def ids_left(server: redis.Redis, keys: Keys) -> list[str]:
    return [entry_id.decode() for entry_id, _ in server.xrange(keys.results)]


def test_nothing_is_trimmed_while_no_group_says_what_was_read(
    house: Callable[..., Housekeeping], publish: Callable[[int], list[str]], server: redis.Redis, keys: Keys
) -> None:
    ids = publish(10)
    house().tick()
    assert ids_left(server, keys) == ids


def test_what_every_group_acknowledged_goes(
    house: Callable[..., Housekeeping], publish: Callable[[int], list[str]], server: redis.Redis, keys: Keys
) -> None:
    ids = publish(10)
    for group in ("fast", "slow"):
        server.xgroup_create(keys.results, group, id="0")
    server.xack(keys.results, "fast", *read(server, keys, "fast", 10))
    house().tick()
    assert ids_left(server, keys) == ids
    slow = read(server, keys, "slow", 6)
    server.xack(keys.results, "slow", *slow[:2], *slow[3:])
    house().tick()
    assert ids_left(server, keys) == ids[2:]  # the third is pending
    server.xack(keys.results, "slow", slow[2])
    house().tick()
    assert ids_left(server, keys) == ids[6:]
    server.xack(keys.results, "slow", *read(server, keys, "slow", 10))
    house().tick()
    assert ids_left(server, keys) == []
    assert server.hgetall(keys.trims) == {b"trimmed": b"10"}


def test_a_young_result_stays_for_those_who_look_it_up(
    house: Callable[..., Housekeeping], publish: Callable[[int], list[str]], server: redis.Redis, keys: Keys
) -> None:
    publish(3)
    young = server.xadd(keys.results, {"payload": "{}"}).decode()
    server.xgroup_create(keys.results, "readers", id="0")
    server.xack(keys.results, "readers", *read(server, keys, "readers", 10))
    house(min_result_age_s=600).tick()
    assert ids_left(server, keys) == [young]


def test_the_cap_holds_without_a_group(
    house: Callable[..., Housekeeping],
    publish: Callable[[int], list[str]],
    server: redis.Redis,
    keys: Keys,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ids = publish(10)
    with caplog.at_level(logging.INFO):
        house(keep_results=4).tick()
    assert ids_left(server, keys) == ids[6:]
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("INFO", "results: 6 were cut, as the stream keeps 4 at most (GROUNDWIRE_KEEP_RESULTS)")
    ]
    assert server.hgetall(keys.trims) == {b"trimmed": b"6", b"cut": b"6"}


def test_a_group_behind_the_cap_is_named_and_counted_and_the_others_are_not(
    house: Callable[..., Housekeeping],
    publish: Callable[[int], list[str]],
    server: redis.Redis,
    keys: Keys,
    caplog: pytest.LogCaptureFixture,
) -> None:
    publish(10)
    for group in ("fast", "slow", "stuck"):
        server.xgroup_create(keys.results, group, id="0")
    server.xack(keys.results, "fast", *read(server, keys, "fast", 10))
    server.xack(keys.results, "slow", *read(server, keys, "slow", 5)[1:])
    house(keep_results=4).tick()
    assert server.xlen(keys.results) == 4
    counts = {b"trimmed": b"6", b"cut": b"6", b"cut:slow": b"2", b"cut:stuck": b"6"}
    assert server.hgetall(keys.trims) == counts
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [line.partition(" of ")[0] for line in warned] == [
        "results: group 'slow' had not acknowledged 2",
        "results: group 'stuck' had not acknowledged 6",
    ]
    house(keep_results=4).tick()
    assert server.hgetall(keys.trims) == counts


def test_a_group_that_lost_what_was_pending_does_not_stop_the_trimming(
    house: Callable[..., Housekeeping], publish: Callable[[int], list[str]], server: redis.Redis, keys: Keys
) -> None:
    ids = publish(10)
    server.xgroup_create(keys.results, "readers", id="0")
    read(server, keys, "readers", 3)
    house(keep_results=4).tick()
    assert ids_left(server, keys) == ids[6:]
    server.xack(keys.results, "readers", *read(server, keys, "readers", 4))
    house(keep_results=4).tick()
    assert ids_left(server, keys) == []


def test_the_cap_is_reached_in_steps(
    house: Callable[..., Housekeeping],
    publish: Callable[[int], list[str]],
    server: redis.Redis,
    keys: Keys,
    caplog: pytest.LogCaptureFixture,
) -> None:
    publish(3 * BATCH)
    server.xgroup_create(keys.results, "stuck", id="0")
    house(keep_results=7).tick()
    assert server.xlen(keys.results) == 7
    assert server.hget(keys.trims, "cut:stuck") == str(3 * BATCH - 7).encode()
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_of_several_intakes_one_does_it(
    house: Callable[..., Housekeeping], publish: Callable[[int], list[str]], server: redis.Redis, keys: Keys
) -> None:
    first, second = house(keep_results=1, interval_s=600), house(keep_results=1, interval_s=600)
    first.tick()
    publish(5)
    second.tick()
    first.tick()
    assert server.xlen(keys.results) == 5
    assert server.llen(keys.published) == 1


def test_an_empty_server_is_all_right(house: Callable[..., Housekeeping], server: redis.Redis, keys: Keys) -> None:
    house(keep_results=1).tick()
    assert not server.exists(keys.results)


def test_an_intake_keeps_house_and_is_alive(
    server: redis.Redis, keys: Keys, settings: WorkerSettings, publish: Callable[[int], list[str]]
) -> None:
    publish(10)
    stop = Event()
    intake = Intake(settings.model_copy(update={"keep_results": 3}), stop)
    thread = Thread(target=intake.run)
    thread.start()
    try:
        # what it sends afterwards shows that its first turn is over
        server.xadd(keys.stream("jobs"), {"v": "1", "payload": "{}"})
        assert server.brpop(keys.celery, timeout=WAIT_S)
    finally:
        stop.set()
        thread.join(WAIT_S)
    assert server.xlen(keys.results) == 3
    with Client(settings) as client:
        assert client.status().intakes == 1


@pytest.mark.parametrize(
    "name", ["housekeeping:trims", "housekeeping:published", "housekeeping:turn", "alive", "results"]
)
def test_keys_of_another_type_stop_no_intake(
    server: redis.Redis, keys: Keys, settings: WorkerSettings, name: str
) -> None:
    server.geoadd(keys.prefix + name, (0.0, 0.0, "x")) if name != "alive" else server.set(keys.alive, "x")
    stop = Event()
    thread = Thread(target=Intake(settings, stop).run)
    thread.start()
    try:
        server.xadd(keys.stream("jobs"), {"v": "1", "payload": "{}"})
        assert server.brpop(keys.celery, timeout=WAIT_S)
    finally:
        stop.set()
        thread.join(WAIT_S)
    assert server.llen(keys.published) == 1


def test_counters_that_somebody_spoilt_stop_nothing(
    house: Callable[..., Housekeeping],
    publish: Callable[[int], list[str]],
    server: redis.Redis,
    keys: Keys,
    caplog: pytest.LogCaptureFixture,
) -> None:
    publish(10)
    server.hset(keys.trims, "trimmed", "many")
    house(keep_results=4).tick()
    assert server.xlen(keys.results) == 4
    assert [r.getMessage().partition(":")[0] for r in caplog.records] == ["no housekeeping, as the server refuses it"]


@hypothesis_settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
@given(st.lists(st.tuples(st.sampled_from(["publish", "a", "b", "trim"]), st.integers(1, 6)), max_size=25))
def test_no_group_misses_a_result_that_is_not_counted(
    house: Callable[..., Housekeeping],
    publish: Callable[[int], list[str]],
    server: redis.Redis,
    keys: Keys,
    steps: list[tuple[str, int]],
) -> None:
    server.delete(keys.results, keys.trims, keys.published)
    published: list[str] = []
    seen: dict[str, list[str]] = {"a": [], "b": []}
    for group in seen:
        server.xgroup_create(keys.results, group, id="0", mkstream=True)
    for what, number in [*steps, ("a", 999), ("b", 999)]:
        if what == "publish":
            published += publish(number)
        elif what == "trim":
            house(keep_results=number).tick()
            assert server.xlen(keys.results) <= number
        else:
            got = read(server, keys, what, number)
            seen[what] += got
            if got:
                server.xack(keys.results, what, *got)
    for group, got in seen.items():
        missed = set(published) - set(got)
        assert len(missed) == int(server.hget(keys.trims, f"cut:{group}") or 0)
