from __future__ import annotations

import pytest
import redis

from groundwire.worker.queue.patience import patiently


def test_a_server_that_comes_back_is_waited_for() -> None:
    faults = [redis.ConnectionError(), redis.TimeoutError(), redis.exceptions.BusyLoadingError()]

    def call() -> str:
        if faults:
            raise faults.pop()
        return "reply"

    assert patiently(call, stopping=lambda: False) == "reply"


def test_nobody_waits_while_the_worker_stops() -> None:
    def call() -> None:
        raise redis.ConnectionError

    with pytest.raises(redis.ConnectionError):
        patiently(call, stopping=lambda: True)


def test_a_refusal_is_told_at_once() -> None:
    def call() -> None:
        raise redis.ResponseError("OOM command not allowed")

    with pytest.raises(redis.ResponseError, match="OOM"):
        patiently(call, stopping=lambda: False)
