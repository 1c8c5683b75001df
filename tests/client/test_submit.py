from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Client, ClientSettings, Keys
from groundwire.schemas import DeadReason, InvalidJobError, Job, Limits, QueueError, parse_job

if TYPE_CHECKING:
    import redis


def test_the_entry_has_the_format_of_the_contract(
    client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    sent = client.submit(job)
    [(entry_id, fields)] = server.xrange(keys.stream("jobs"))
    assert set(fields) == {b"v", b"payload"}
    assert fields[b"v"] == b"1"
    assert parse_job(fields[b"payload"], Limits()).job == Job(**job)
    assert (sent.job_id, sent.trace_id, sent.entry_id) == (Job(**job).id, "t1", entry_id.decode())


def test_a_job_object_is_as_good_as_its_fields(
    client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    assert client.submit(Job(**job)).job_id == client.submit(job).job_id
    first, second = server.xrange(keys.stream("jobs"))
    assert first[1] == second[1]


def test_priority_chooses_the_stream(client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]) -> None:
    client.submit(job | {"priority": "backfill"})
    assert (server.xlen(keys.stream("jobs")), server.xlen(keys.stream("jobs:backfill"))) == (0, 1)


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        ({"trace_id": None}, DeadReason.INVALID_FIELD, "trace_id"),
        ({"respones_text": "x"}, DeadReason.UNKNOWN_FIELD, "respones_text"),
        ({"something_new": "x"}, DeadReason.UNKNOWN_FIELD, "something_new"),
        ({"response_text": "a" * 100_001}, DeadReason.TOO_LARGE, "response_text"),
        ({"response_text": "a" * 2**20}, DeadReason.TOO_LARGE, "payload"),
        ({"response_text": "\ud800"}, DeadReason.INVALID_FIELD, "response_text"),
        ({"response_text": b"bytes"}, DeadReason.NOT_JSON, "payload"),
        ({"completion_tokens": float("nan")}, DeadReason.NOT_JSON, "payload"),
        ({"v": 2}, DeadReason.UNSUPPORTED_VERSION, "v"),
    ],
)
def test_an_invalid_job_is_refused(
    client: Client, job: dict[str, Any], change: dict[str, Any], reason: DeadReason, field: str
) -> None:
    with pytest.raises(InvalidJobError) as caught:
        client.submit(job | change)
    assert (caught.value.reason, caught.value.field) == (reason, field)


def test_what_was_refused_is_not_on_the_stream(
    client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    with pytest.raises(InvalidJobError):
        client.submit(job | {"span_id": 7})
    assert not server.exists(keys.stream("jobs"))


def test_a_job_that_has_its_result_is_not_sent_again(
    client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    parsed = Job(**job)
    server.set(keys.done(parsed.id), f"{parsed.content_hash} 5-0")
    assert client.submit(job).entry_id is None
    assert not server.exists(keys.stream("jobs"))


def test_another_job_under_the_same_id_is_refused(
    client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    server.set(keys.done("j1"), "otherhash 5-0")
    with pytest.raises(InvalidJobError, match="j1 has a result for another content") as caught:
        client.submit(job | {"job_id": "j1"})
    assert caught.value.reason is DeadReason.JOB_ID_CONFLICT
    assert caught.value.field == "job_id"
    assert not server.exists(keys.stream("jobs"))


def test_a_job_that_became_a_dead_letter_may_come_again(
    client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    server.set(keys.done("j1"), "- 5-0")
    server.hset(keys.trace("t1"), "j1", "5-0")
    sent = client.submit(job | {"job_id": "j1"})
    assert sent.entry_id is not None
    assert sent.after == "5-0"
    assert client.submit(job | {"job_id": "j2"}).after is None


def test_threads_share_a_client(client: Client, server: redis.Redis, keys: Keys, job: dict[str, Any]) -> None:
    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(lambda n: client.submit(job | {"job_id": f"j{n}"}), range(100)))
    ids = {json.loads(fields[b"payload"])["job_id"] for _, fields in server.xrange(keys.stream("jobs"))}
    assert ids == {one.job_id for one in sent} == {f"j{n}" for n in range(100)}


def test_an_unreachable_server_is_named_without_its_password(job: dict[str, Any]) -> None:
    settings = ClientSettings(redis_url="redis://user:se-cr-et@127.0.0.1:1/0")
    with Client(settings) as client, pytest.raises(QueueError) as caught:
        client.submit(job)
    assert (
        str(caught.value) == "no answer from the Redis server at 127.0.0.1:1; start it, or check GROUNDWIRE_REDIS_URL"
    )


def test_a_wrong_password_is_told_without_showing_it(server_url: str, job: dict[str, Any]) -> None:
    at = server_url.index("@")
    with Client(f"redis://:se-cr-et{server_url[at:]}") as client, pytest.raises(QueueError) as caught:
        client.submit(job)
    assert "refused user or password" in str(caught.value)
    assert "se-cr-et" not in str(caught.value)
