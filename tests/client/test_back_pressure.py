from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Client, ClientSettings, Keys, OnFull
from groundwire.schemas import BacklogError, Job, QueueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import redis


@pytest.fixture
def bounded(settings: ClientSettings) -> Iterator[Callable[..., Client]]:
    """A client whose streams hold so many jobs."""
    made: list[Client] = []

    def bounded(max_backlog: int, on_full: OnFull = OnFull.REFUSE) -> Client:
        made.append(Client(settings.model_copy(update={"max_backlog": max_backlog, "on_full": on_full})))
        return made[-1]

    yield bounded
    for client in made:
        client.close()


def test_a_full_stream_refuses_and_says_why(
    bounded: Callable[..., Client], server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    client = bounded(2)
    for n in range(2):
        client.submit(job | {"job_id": f"j{n}"})
    with pytest.raises(BacklogError, match=r"the stream jobs holds 2 jobs, .* allows 2: job j2 was not sent") as caught:
        client.submit(job | {"job_id": "j2"})
    assert isinstance(caught.value, QueueError)
    assert "1889" not in str(caught.value)
    assert server.xlen(keys.stream("jobs")) == 2
    assert not server.exists(keys.dropped)


def test_each_stream_has_a_bound_of_its_own(bounded: Callable[..., Client], job: dict[str, Any]) -> None:
    client = bounded(1)
    client.submit(job | {"priority": "backfill"})
    with pytest.raises(BacklogError, match="jobs:backfill"):
        client.submit(job | {"priority": "backfill", "span_id": "s2"})
    assert client.submit(job).entry_id is not None


def test_a_full_stream_drops_by_choice_and_counts(
    bounded: Callable[..., Client], server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    client = bounded(1, OnFull.DROP)
    assert not client.submit(job).dropped
    sent = [client.submit(job | {"job_id": f"j{n}"}) for n in range(3)]
    assert [(one.dropped, one.entry_id) for one in sent] == [(True, None)] * 3
    assert server.xlen(keys.stream("jobs")) == 1
    assert server.get(keys.dropped) == b"3"


def test_room_is_used_again(
    bounded: Callable[..., Client], server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    client = bounded(1)
    sent = client.submit(job)
    assert sent.entry_id is not None
    server.xdel(keys.stream("jobs"), sent.entry_id)  # as publish does
    assert client.submit(job | {"job_id": "j2"}).entry_id is not None


def test_many_producers_at_once_never_pass_the_bound(
    bounded: Callable[..., Client], server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    client = bounded(20, OnFull.DROP)
    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(lambda n: client.submit(job | {"job_id": f"j{n}"}), range(100)))
    assert server.xlen(keys.stream("jobs")) == 20
    assert sum(one.dropped for one in sent) == int(server.get(keys.dropped) or 0) == 80


def test_a_job_that_has_its_result_is_known_also_when_the_stream_is_full(
    bounded: Callable[..., Client], server: redis.Redis, keys: Keys, job: dict[str, Any]
) -> None:
    client = bounded(1)
    client.submit(job)
    known = Job(**(job | {"span_id": "s2"}))
    server.set(keys.done(known.id), f"{known.content_hash} 5-0")
    assert client.submit(known).entry_id is None


def test_a_script_that_the_server_forgot_is_sent_again(
    client: Client, server: redis.Redis, job: dict[str, Any]
) -> None:
    client.submit(job)
    server.script_flush()
    assert client.submit(job | {"job_id": "j2"}).entry_id is not None
