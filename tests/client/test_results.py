from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import QueueError

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    from groundwire.client import Client, Keys


def test_a_result_is_found_by_its_ids(client: Client, publish: Callable[..., str]) -> None:
    publish("t1", "j1")
    publish("t1", "j2")
    found = client.result("t1", "j2")
    assert found is not None
    assert (found.trace_id, found.job_id) == ("t1", "j2")


def test_what_is_not_there_is_null(client: Client, server: redis.Redis, keys: Keys) -> None:
    assert client.result("t1", "j1") is None
    server.hset(keys.trace("t1"), "j1", "5-0")  # its entry was trimmed
    assert client.result("t1", "j1") is None


def test_results_come_in_the_order_of_their_publication(client: Client, publish: Callable[..., str]) -> None:
    for n in range(250):
        publish(f"t{n % 3}", f"j{n}")
    assert [result.job_id for result in client.results()] == [f"j{n}" for n in range(250)]


def test_reading_goes_on_after_an_entry(client: Client, publish: Callable[..., str]) -> None:
    ids = [publish("t1", f"j{n}") for n in range(5)]
    assert [result.job_id for result in client.results(after=ids[2])] == ["j3", "j4"]
    assert list(client.results(after="$")) == []


def test_the_results_of_one_trace(client: Client, publish: Callable[..., str]) -> None:
    ids = [publish(f"t{n % 2}", f"j{n}") for n in range(6)]
    assert [result.job_id for result in client.results(trace_id="t1")] == ["j1", "j3", "j5"]
    assert [result.job_id for result in client.results(after=ids[1], trace_id="t1")] == ["j3", "j5"]
    assert list(client.results(trace_id="none")) == []


def test_following_waits_for_more(client: Client, publish: Callable[..., str]) -> None:
    publish("t1", "j0")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(lambda: [result.job_id for result in islice(client.results(follow=True, trace_id="t1"), 3)])
        for trace_id, job_id in (("t1", "j1"), ("t2", "other"), ("t1", "j2")):
            publish(trace_id, job_id)
        assert read.result(timeout=30) == ["j0", "j1", "j2"]


def test_wait_returns_what_is_there(client: Client, publish: Callable[..., str]) -> None:
    publish("t1", "j1")
    assert client.wait("t1", "j1", timeout=0).job_id == "j1"


def test_wait_returns_what_comes(client: Client, publish: Callable[..., str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(client.wait, f"t{n}", "j", 30) for n in range(8)]
        for n in range(8):
            publish(f"t{n}", "other")
            publish(f"t{n}", "j")
        assert [one.result(timeout=30).trace_id for one in waiting] == [f"t{n}" for n in range(8)]


def test_wait_gives_up(client: Client, publish: Callable[..., str]) -> None:
    publish("t1", "other")
    with pytest.raises(QueueError, match=r"no result of job j1 within 0\.05 s; are an intake and a worker running\?"):
        client.wait("t1", "j1", timeout=0.05)


def test_wait_passes_over_an_earlier_result(client: Client, publish: Callable[..., str]) -> None:
    earlier = publish("t1", "j1", "the error of an earlier job")
    with pytest.raises(QueueError, match="no result of job j1"):
        client.wait("t1", "j1", timeout=0, after=earlier)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.wait, "t1", "j1", 30, earlier)
        publish("t1", "j1")
        assert waiting.result(timeout=30).job_id == "j1"
    assert client.wait("t1", "j1", timeout=0, after=earlier).job_id == "j1"


@pytest.mark.parametrize("payload", ["", "[]", '{"v":2}', "\x00"])
def test_a_result_that_is_none_is_named(client: Client, publish: Callable[..., str], payload: str) -> None:
    entry_id = publish("t1", "j1", payload)
    with pytest.raises(QueueError, match=f"entry {entry_id} of the results stream is not a whole result"):
        client.result("t1", "j1")


def test_a_result_of_a_newer_release_is_named(client: Client, put: Callable[..., str]) -> None:
    entry_id, private = put({"v": "2", "payload": "{}"}), put({"v": "a text that stays private", "payload": "{}"})
    problems: list[str] = []
    assert list(client.results(unreadable=problems.append)) == []
    assert problems[0] == f"result {entry_id} can't be read: version 2, this release reads 1; update groundwire"
    assert problems[1].startswith(f"result {private} can't be read: version of 25 bytes, ")


@pytest.mark.parametrize("trace_id", [None, "t1"])
def test_what_is_no_result_is_passed_over(
    client: Client, publish: Callable[..., str], caplog: pytest.LogCaptureFixture, trace_id: str | None
) -> None:
    publish("t1", "j1")
    foreign = publish("t1", "j2", "a text that stays private")
    publish("t1", "j3")
    assert [result.job_id for result in client.results(trace_id=trace_id)] == ["j1", "j3"]
    [record] = caplog.records
    assert (record.levelname, foreign in record.getMessage()) == ("WARNING", True)
    assert "private" not in caplog.text
