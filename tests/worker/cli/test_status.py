from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def backlog(queue: Any, run: Run, write_jobs: Callable[..., Path]) -> Any:
    """Two jobs that wait, one result, one dead letter, and a worker."""
    run("submit", write_jobs({"job_id": "j1"}, {"job_id": "j2"}))
    queue.publish("t1", "j0")
    queue.bury(b"{}")
    seconds, _ = queue.server.time()
    queue.server.zadd(queue.keys.alive, {"worker:h:1": seconds * 1000})
    return queue


def test_the_state_for_people(backlog: Any, run: Run) -> None:
    backlog.server.xgroup_create(backlog.keys.results, "a\x1b[2J", id="0")
    code, out, err = run("status")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["stream", "backlog", "sent", "in", "work", "backed", "off", "oldest"]
    assert lines[1].split()[:5] == ["jobs", "2", "0", "0", "0"]
    assert lines[2].split() == ["jobs:backfill", "0", "0", "0", "0", "-"]
    assert lines[4:] == [
        "workers  1",
        "intakes  0",
        "results  1 on the stream, 0 cut; in the last minute: unknown, as no intake counts",
        "dead     1",
        "dropped  0",
        "group    a\\x1b[2J: 0 not acknowledged, 1 not read, 0 cut before it was",
    ]


def test_the_state_for_programs(backlog: Any, run: Run) -> None:
    assert backlog.jobs()
    _, out, _ = run("status", "--json")
    state = json.loads(out)
    assert (state["backlog"], state["streams"]["jobs"]["backlog"], state["workers"], state["dead"]) == (2, 2, 1, 1)
    assert state["oldest_age_s"] == state["streams"]["jobs"]["oldest_age_s"]


@pytest.mark.parametrize(
    ("bound", "problem"),
    [
        (["--max-backlog", "2"], ""),
        (["--max-backlog", "1"], "out of bounds: backlog 2, more than 1\n"),
        (["--max-age", "3600"], ""),
        (["--max-dead", "0"], "out of bounds: dead letters 1, more than 0\n"),
        (["--min-workers", "1"], ""),
        (["--min-workers", "2"], "out of bounds: workers 1, less than 2\n"),
    ],
)
def test_bounds_for_scripts(backlog: Any, run: Run, bound: list[str], problem: str) -> None:
    assert backlog.jobs()
    code, out, err = run("status", *bound)
    assert (code, err) == (1 if problem else 0, problem)
    assert out.startswith("stream")


def test_an_old_job_is_out_of_bounds(backlog: Any, run: Run) -> None:
    backlog.server.delete(backlog.keys.stream("jobs"))
    seconds, _ = backlog.server.time()
    backlog.server.xadd(backlog.keys.stream("jobs"), {"v": "1", "payload": "{}"}, id=f"{(seconds - 500) * 1000}-0")
    code, _, err = run("status", "--max-age", "60")
    assert code == 1
    assert err.startswith("out of bounds: oldest job 50")
    assert run("status", "--max-age", "600")[0] == 0
