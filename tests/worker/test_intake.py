from __future__ import annotations

import base64
import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import GROUP, Client, Keys
from groundwire.worker.intake import Intake
from groundwire.worker.queue import Attempts, Entries, Retention
from groundwire.worker.queue.messages import MESSAGE_ENTRIES, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import redis

    from groundwire.worker.settings import WorkerSettings

WAIT_S = 20


@contextmanager
def running(settings: WorkerSettings, **options: int) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=Intake(settings, stop, **options).run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(WAIT_S)
        assert not thread.is_alive()


@pytest.fixture
def take(server: redis.Redis, keys: Keys) -> Callable[[], tuple[str, list[str]]]:
    """Take the next message as Celery would; returns the stream's name and the entry ids."""

    def take() -> tuple[str, list[str]]:
        popped = server.brpop(keys.celery, timeout=WAIT_S)
        assert popped is not None
        [stream, entry_ids], kwargs, _ = json.loads(base64.b64decode(json.loads(popped[1])["body"]))
        assert kwargs == {}
        return stream, entry_ids

    return take


@pytest.fixture
def take_all(take: Callable[[], tuple[str, list[str]]]) -> Callable[[int], list[tuple[str, str]]]:
    def take_all(number: int) -> list[tuple[str, str]]:
        taken: list[tuple[str, str]] = []
        while len(taken) < number:
            stream, entry_ids = take()
            assert 1 <= len(entry_ids) <= MESSAGE_ENTRIES
            taken += [(stream, entry_id) for entry_id in entry_ids]
        return taken

    return take_all


def worker_on(server: redis.Redis, settings: WorkerSettings) -> Entries:
    """What a worker does to entries, without one."""
    return Entries(server, Keys(settings.prefix), "there:1", Retention(60, 10, 10), Attempts(5))


def submit(client: Client, job: dict[str, Any], number: int, priority: str = "interactive") -> list[str]:
    sent = [client.submit(job | {"job_id": f"{priority}-{n}", "priority": priority}) for n in range(number)]
    return [one.entry_id or "" for one in sent]


def test_every_job_is_sent_once_and_in_order(
    settings: WorkerSettings, client: Client, job: dict[str, Any], take_all: Callable[[int], list[tuple[str, str]]]
) -> None:
    before = submit(client, job, 40)  # before there is any intake or group
    with running(settings):
        assert take_all(40) == [("jobs", entry_id) for entry_id in before]
        later = submit(client, job, 1)
        assert take_all(1) == [("jobs", later[0])]


def test_both_streams_are_read(
    settings: WorkerSettings, client: Client, job: dict[str, Any], take_all: Callable[[int], list[tuple[str, str]]]
) -> None:
    with running(settings):
        [entry_id] = submit(client, job, 1, "backfill")
        assert take_all(1) == [("jobs:backfill", entry_id)]


def test_interactive_jobs_come_first_and_backfill_is_not_starved(
    settings: WorkerSettings, client: Client, job: dict[str, Any], take_all: Callable[[int], list[tuple[str, str]]]
) -> None:
    submit(client, job, 300, "backfill")
    submit(client, job, 300)
    # nobody begins with what is taken here, so no bound may hold back the rest
    with running(settings.model_copy(update={"max_queued_jobs": 1_000})):
        streams = [stream for stream, _ in take_all(600)]
    first_half = streams[:300]
    assert first_half.count("jobs") > 2 * first_half.count("jobs:backfill") > 0


def test_the_backlog_stays_on_the_stream(
    settings: WorkerSettings,
    client: Client,
    server: redis.Redis,
    job: dict[str, Any],
    take: Callable[[], tuple[str, list[str]]],
) -> None:
    few = settings.model_copy(update={"max_queued_jobs": 20})
    keys = Keys(settings.prefix)
    worker = worker_on(server, settings)
    entry_ids = submit(client, job, 200)
    taken: list[str] = []
    with running(few):
        while len(taken) < len(entry_ids):
            stream, message = take()
            assert server.xpending(keys.stream("jobs"), GROUP)["pending"] <= len(taken) + 20
            worker.hold(stream, message)
            taken += message
    assert taken == entry_ids


def test_messages_stay_large_while_the_list_is_full(
    settings: WorkerSettings,
    client: Client,
    server: redis.Redis,
    job: dict[str, Any],
    take: Callable[[], tuple[str, list[str]]],
) -> None:
    worker = worker_on(server, settings)
    submit(client, job, 300)
    sent: list[str] = []
    with running(settings.model_copy(update={"max_queued_jobs": 128})):
        while 128 - len(sent) >= max(1, len(sent) // 8):  # until another message of the size that is due doesn't fit
            sent += take()[1]
        for entry_id in sent[:32]:
            worker.hold("jobs", [entry_id])
        assert all(len(take()[1]) >= (len(sent) - 32) // 8 for _ in range(2))


def test_several_intakes_send_every_job_once(
    settings: WorkerSettings, client: Client, job: dict[str, Any], take_all: Callable[[int], list[tuple[str, str]]]
) -> None:
    entry_ids = submit(client, job, 60)
    with running(settings), running(settings), running(settings):
        taken = take_all(60)
    assert sorted(entry_id for _, entry_id in taken) == sorted(entry_ids)


def test_what_is_still_on_celerys_list_is_not_sent_again(
    settings: WorkerSettings, server: redis.Redis, client: Client, job: dict[str, Any]
) -> None:
    keys = Keys(settings.prefix)
    before = submit(client, job, 3)
    with running(settings, sent_ms=0):
        while server.llen(keys.celery) < 3:
            server.blpop([keys.prefix + "nothing"], timeout=0.01)
        # The walk that finds this one has come past the three.
        [stranded] = submit(client, job, 1, "backfill")
        server.xclaim(keys.stream("jobs:backfill"), GROUP, "intake:gone:1", 0, [stranded], justid=True)
        while server.llen(keys.celery) < 4:
            server.blpop([keys.prefix + "nothing"], timeout=0.01)
    listed = [decode(item).entry_ids[0] for item in server.lrange(keys.celery, 0, -1)]
    assert sorted(listed) == sorted([*before, stranded])


def test_entries_of_a_worker_that_died_are_sent_alone_and_those_that_it_only_held_together(
    settings: WorkerSettings, server: redis.Redis, send: Callable[..., str], take: Callable[[], Any]
) -> None:
    ids = [send() for _ in range(4)]
    worker = worker_on(server, settings)
    worker.hold("jobs", ids)
    worker.begin("jobs", ids[0])
    worker.begin("jobs", ids[1])
    with running(settings, lease_ms=0):
        assert [take() for _ in range(3)] == [("jobs", [ids[0]]), ("jobs", [ids[1]]), ("jobs", ids[2:])]


def test_what_an_intake_read_and_never_sent_is_sent_by_the_next(
    settings: WorkerSettings, send: Callable[..., str], take_all: Callable[[int], list[tuple[str, str]]]
) -> None:
    stranded = [send() for _ in range(20)]
    with running(settings, sent_ms=500):
        assert take_all(20) == [("jobs", entry_id) for entry_id in stranded]


def test_what_a_worker_has_in_work_is_left_alone(
    settings: WorkerSettings, server: redis.Redis, send: Callable[..., str], take: Callable[[], tuple[str, list[str]]]
) -> None:
    in_work, stranded = send(), send()
    worker_on(server, settings).begin("jobs", in_work)
    with running(settings, sent_ms=50):
        assert take() == ("jobs", [stranded])


def test_what_a_dead_worker_had_in_work_is_sent_again_however_many_messages_wait(
    settings: WorkerSettings, server: redis.Redis, send: Callable[..., str]
) -> None:
    keys = Keys(settings.prefix)
    entry_id = send()
    worker_on(server, settings).begin("jobs", entry_id)
    full = settings.model_copy(update={"max_queued_jobs": 1})
    server.lpush(keys.celery, b"a message that waits")
    with running(full, lease_ms=100):
        # The list is never shorter than what may wait: its oldest message becomes its newest, until another one came.
        while (moved := server.lmove(keys.celery, keys.celery, "RIGHT", "LEFT")) == b"a message that waits":
            server.blpop([keys.prefix + "nothing"], timeout=0.01)
    [stream, entry_ids], _, _ = json.loads(base64.b64decode(json.loads(moved)["body"]))
    assert (stream, entry_ids) == ("jobs", [entry_id])


@pytest.mark.parametrize("key", ["jobs", "jobs:backfill", "celery"])
def test_garbage_of_another_type_stops_nothing(
    settings: WorkerSettings, server: redis.Redis, take: Callable[[], Any], key: str
) -> None:
    server.delete(settings.prefix + key)
    server.set(settings.prefix + key, "garbage")
    with running(settings, sent_ms=500):
        while server.type(settings.prefix + key) == b"string":
            server.blpop([settings.prefix + "nothing"], timeout=0.01)
        entry_id = server.xadd(settings.prefix + "jobs", {"v": "1"}).decode()
        assert take() == ("jobs", [entry_id])
    [aside] = server.keys(f"{settings.prefix}{key}:aside:*")
    assert server.get(aside) == b"garbage"


def test_a_group_that_somebody_deleted_is_made_again(
    settings: WorkerSettings, client: Client, server: redis.Redis, job: dict[str, Any], take: Callable[[], Any]
) -> None:
    stream = Keys(settings.prefix).stream("jobs")
    with running(settings):
        submit(client, job, 1)
        take()
        server.delete(stream)
        [entry_id] = submit(client, job, 1)
        assert take() == ("jobs", [entry_id])


def test_the_heartbeat_file_is_touched(
    settings: WorkerSettings, client: Client, job: dict[str, Any], take: Callable[[], Any], tmp_path: Any
) -> None:
    beat = tmp_path / "beat"
    with running(settings.model_copy(update={"heartbeat_file": beat})):
        submit(client, job, 1)
        take()
    assert beat.exists()


def test_a_message_holds_no_text(
    settings: WorkerSettings, client: Client, server: redis.Redis, job: dict[str, Any]
) -> None:
    marker = "a-text-that-stays-private"
    keys = Keys(settings.prefix)
    submit(client, job | {"response_text": marker, "rag_context": marker, "query": marker}, 3)
    with running(settings):
        popped = server.brpop(keys.celery, timeout=WAIT_S)
    message = json.loads(popped[1])
    everything = popped[1] + base64.b64decode(message["body"])
    assert marker.encode() not in everything
    assert b"Eiffel" not in everything
    assert message["headers"]["argsrepr"] == "(jobs, 1 entries)"
