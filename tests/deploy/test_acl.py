"""The users of deploy/redis/users.acl do their work, and are refused what is not theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import redis

from groundwire.client import OnFull
from groundwire.schemas import QueueError

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.client import Client, Keys

JOB: dict[str, Any] = {"trace_id": "t1", "span_id": "s1", "response_text": "It was built in 1889."}
RESULT = (
    '{"v":1,"job_id":"j1","trace_id":"t1","span_id":"s1","metrics":{},"scorer":null,"timing":{},'
    '"evaluated_at":"2026-01-01T00:00:00Z"}'
)


def test_a_producer_submits_and_is_told_what_is_known(
    connect_as: Callable[[str], redis.Redis], client_as: Callable[[str], Client], keys: Keys
) -> None:
    producer = client_as("producer")
    sent = producer.submit(JOB)
    assert sent.entry_id is not None
    assert producer.submit(JOB | {"priority": "backfill"}).entry_id is not None
    connect_as("producer").xadd(keys.stream("jobs"), {"v": "1", "payload": "{}"})  # in any other language
    admin = connect_as("admin")
    assert (admin.xlen(keys.stream("jobs")), admin.xlen(keys.stream("jobs:backfill"))) == (2, 1)
    assert admin.acl_log() == []


def test_a_producer_meets_the_bound(
    connect_as: Callable[[str], redis.Redis], client_as: Callable[..., Client], keys: Keys
) -> None:
    producer = client_as("producer", max_backlog=1, on_full=OnFull.DROP)
    assert [producer.submit(JOB | {"job_id": f"j{n}"}).dropped for n in range(2)] == [False, True]
    assert connect_as("admin").get(keys.dropped) == b"1"


REFUSED_TO_PRODUCERS: list[tuple[Any, ...]] = [
    ("LPUSH", "{groundwire}:celery", "{}"),
    ("LRANGE", "{groundwire}:celery", 0, -1),
    ("EVAL", "return redis.call('LPUSH', KEYS[1], 'x')", 1, "{groundwire}:celery"),
    ("EVAL", "return redis.call('LPUSH', '{groundwire}:celery', 'x')", 1, "{groundwire}:jobs"),
    ("EVAL", "return redis.call('XRANGE', KEYS[1], '-', '+')", 1, "{groundwire}:jobs"),
    ("XRANGE", "{groundwire}:jobs", "-", "+"),
    ("XREAD", "STREAMS", "{groundwire}:results", "0"),
    ("XADD", "{groundwire}:results", "*", "payload", "{}"),
    ("XADD", "{groundwire}:done:j1", "*", "payload", "{}"),
    ("SET", "{groundwire}:done:j1", "x"),
    ("XTRIM", "{groundwire}:jobs", "MAXLEN", 0),
    ("XDEL", "{groundwire}:jobs", "1-1"),
    ("DEL", "{groundwire}:jobs"),
    ("XGROUP", "CREATE", "{groundwire}:jobs", "mine", "0"),
    ("XADD", "elsewhere", "*", "a", "b"),
    ("KEYS", "*"),
    ("PUBLISH", "{groundwire}:/0.celery.pidbox", "{}"),
    ("FLUSHALL",),
    ("CONFIG", "GET", "*"),
]

REFUSED_TO_CONSUMERS: list[tuple[Any, ...]] = [
    ("XADD", "{groundwire}:jobs", "*", "v", "1"),
    ("XRANGE", "{groundwire}:jobs", "-", "+"),
    ("XREADGROUP", "GROUP", "intake", "me", "STREAMS", "{groundwire}:jobs", ">"),
    ("XADD", "{groundwire}:results", "*", "payload", "{}"),
    ("XTRIM", "{groundwire}:results", "MAXLEN", 0),
    ("XDEL", "{groundwire}:results", "1-1"),
    ("XGROUP", "DESTROY", "{groundwire}:results", "others"),
    ("DEL", "{groundwire}:results"),
    ("XRANGE", "{groundwire}:dead", "-", "+"),
    ("LRANGE", "{groundwire}:celery", 0, -1),
    ("HSET", "{groundwire}:trace:t1", "j1", "1-1"),
    ("GET", "{groundwire}:done:j1"),
    ("EVAL", "return 1", 0),
    ("KEYS", "*"),
    ("FLUSHALL",),
]

REFUSED_TO_WORKERS: list[tuple[Any, ...]] = [
    ("SET", "elsewhere", "x"),
    ("GET", "elsewhere"),
    ("EVAL", "return redis.call('GET', 'elsewhere')", 0),
    ("PUBLISH", "elsewhere", "x"),
    ("FLUSHALL",),
    ("KEYS", "*"),
    ("CONFIG", "SET", "maxmemory", "1"),
    ("ACL", "SETUSER", "worker", "+@all"),
    ("SHUTDOWN",),
]


@pytest.mark.parametrize(
    ("role", "command"),
    [
        *(("producer", command) for command in REFUSED_TO_PRODUCERS),
        *(("consumer", command) for command in REFUSED_TO_CONSUMERS),
        *(("worker", command) for command in REFUSED_TO_WORKERS),
    ],
)
def test_what_is_refused(connect_as: Callable[[str], redis.Redis], role: str, command: tuple[Any, ...]) -> None:
    admin = connect_as("admin")
    admin.xadd("{groundwire}:jobs", {"v": "1"})
    with pytest.raises(redis.ResponseError, match=r"(?i)permission|NOPERM|ACL"):
        connect_as(role).execute_command(*command)
    assert admin.xlen("{groundwire}:jobs") == 1
    assert admin.dbsize() == 1


def test_a_consumer_reads_results_alone_and_in_a_group(
    connect_as: Callable[[str], redis.Redis], client_as: Callable[[str], Client], keys: Keys
) -> None:
    admin = connect_as("admin")
    entry_id = admin.xadd(
        keys.results, {"trace_id": "t1", "span_id": "s1", "job_id": "j1", "v": "1", "payload": RESULT}
    )
    admin.hset(keys.trace("t1"), "j1", entry_id)
    consumer = client_as("consumer")
    assert [result.job_id for result in consumer.results()] == ["j1"]
    assert [result.job_id for result in consumer.results(trace_id="t1")] == ["j1"]
    assert consumer.wait("t1", "j1", 5).job_id == "j1"
    raw = connect_as("consumer")
    raw.xgroup_create(keys.results, "mine", id="0")
    [[_, [(read, _)]]] = raw.xreadgroup("mine", "me", {keys.results: ">"})
    assert raw.xack(keys.results, "mine", read) == 1
    assert admin.acl_log() == []


def test_a_refusal_is_one_error_of_ours(client_as: Callable[[str], Client]) -> None:
    with pytest.raises(QueueError, match="refused the command"):
        client_as("consumer").submit(JOB)


def test_nobody_gets_in_without_a_name(port: int) -> None:
    with redis.Redis("127.0.0.1", port) as nobody, pytest.raises(redis.AuthenticationError):
        nobody.ping()
