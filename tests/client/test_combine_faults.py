"""The combiner among entries that are no results, and with a server that loses things or is gone."""

from __future__ import annotations

import logging
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import COMBINE_GROUP, Combiner, CombineSettings, Keys
from groundwire.schemas import QueueError

if TYPE_CHECKING:
    from collections.abc import Callable

    import redis

    Send = Callable[..., str]
    Make = Callable[..., Combiner]

NOBODY = "redis://127.0.0.1:1/0"
"""A port on which nothing listens."""


@pytest.mark.parametrize(
    "fields",
    [
        {"something": "else"},
        {"payload": b"\xff\xfe"},
        {"payload": "{"},
        {"payload": "[" * 10_000},
        {"payload": '{"v": 2, "trace_id": "secret"}'},
        {"payload": '{"v":1,"trace_id":"t1","span_id":"s1","job_id":"j","metrics":{"secret":{"score":NaN}}}'},
    ],
)
def test_an_entry_that_is_no_result_is_passed_over_and_counted(
    fields: dict[str, Any], make_combiner: Make, send: Send, put: Any, caplog: pytest.LogCaptureFixture
) -> None:
    entry_id = put(fields)
    send("ours", faithfulness=0.9, toxicity=0.3)
    combiner = make_combiner()
    assert len(list(combiner.run_once())) == 1
    assert combiner.unreadable == 1
    (warning,) = caplog.messages
    assert entry_id in warning
    assert "secret" not in warning


def test_a_result_that_was_trimmed_after_it_was_read_is_passed_over(
    make_combiner: Make, send: Send, server: redis.Redis, keys: Keys
) -> None:
    entry_id = send("ours", faithfulness=0.9)
    server.xgroup_create(keys.results, COMBINE_GROUP, id="0")
    server.xreadgroup(COMBINE_GROUP, "one", {keys.results: ">"})
    server.xdel(keys.results, entry_id)
    combiner = make_combiner()
    assert list(combiner.run_once()) == []
    assert combiner.unreadable == 1


def test_a_state_of_another_version_is_joined_anew(
    make_combiner: Make, send: Send, server: redis.Redis, keys: Keys, caplog: pytest.LogCaptureFixture
) -> None:
    server.set(keys.parts("t1", "s1"), b'{"of": "the future"}')
    server.zadd(keys.deadlines, {keys.parts("t1", "s1"): 0, keys.parts("gone", "s1"): 0})
    send("ours", faithfulness=0.9, toxicity=0.3)
    assert len(list(make_combiner().run_once())) == 1
    assert "another version" in caplog.text
    assert server.zcard(keys.deadlines) == 0


def test_run_outlives_a_stream_that_is_deleted(
    make_combiner: Make, send: Send, server: redis.Redis, keys: Keys, caplog: pytest.LogCaptureFixture
) -> None:
    stop = Event()
    running = make_combiner().run(stop)
    send("ours", faithfulness=0.9, toxicity=0.3)
    next(running)
    server.delete(keys.results)
    send("ours", ("t2", "s2"), faithfulness=0.9, toxicity=0.3)
    assert next(running).trace_id == "t2"
    assert "trying again" in caplog.text
    stop.set()
    assert list(running) == []


def test_a_server_that_is_gone() -> None:
    stop = Event()

    class StopAtFirstWarning(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            assert "trying again" in record.getMessage()
            stop.set()

    handler = StopAtFirstWarning()
    logger = logging.getLogger("groundwire.client.combine")
    logger.addHandler(handler)
    try:
        with Combiner(CombineSettings(redis_url=NOBODY)) as combiner:
            assert list(combiner.run(stop)) == []
            with pytest.raises(QueueError, match=r"127\.0\.0\.1:1"):
                list(combiner.run_once())
    finally:
        logger.removeHandler(handler)
