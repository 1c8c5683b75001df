from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]
    WriteJobs = Callable[..., Path]

NOBODY = "redis://127.0.0.1:1/0"
"""A port on which nothing listens."""


def test_submit_prints_the_ids_and_the_jobs_are_on_the_stream(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    code, out, err = run("submit", write_jobs({"job_id": "j1"}, {"trace_id": "t2", "job_id": "j2"}))
    assert (code, out, err) == (0, "j1 t1\nj2 t2\n", "")
    assert [job["job_id"] for job in queue.jobs()] == ["j1", "j2"]


def test_submit_as_json_names_the_entry(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    _, out, _ = run("submit", write_jobs({}), "--json")
    sent = json.loads(out)
    assert sent["trace_id"] == "t1"
    assert sent["job_id"] == Job(**queue.jobs()[0]).id
    assert sent["entry_id"].endswith("-0")


def test_a_bad_line_is_named_and_the_others_are_submitted(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    code, out, err = run("submit", write_jobs({"job_id": "j1"}, b"{", {"job_id": "j3", "rag_contxt": "x"}, {}))
    assert code == 2
    assert len(out.splitlines()) == len(queue.jobs()) == 2
    assert [line.split(": ")[:2] for line in err.splitlines()] == [["line 2", "payload"], ["line 3", "rag_contxt"]]


def test_submit_stops_at_the_first_job_that_finds_the_stream_full(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    code, out, err = run("submit", write_jobs(*({"job_id": f"j{n}"} for n in range(3))), "--max-backlog", "1")
    assert (code, out) == (1, "j0 t1\n")
    assert err.startswith("stopped at line 2: the stream jobs holds 1 jobs, ")
    assert err.count("\n") == len(queue.jobs()) == 1


def test_submit_drops_what_finds_the_stream_full_by_choice(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    path = write_jobs(*({"job_id": f"j{n}"} for n in range(3)))
    code, out, err = run("submit", path, "--max-backlog", "1", "--on-full", "drop")
    assert (code, out) == (1, "j0 t1\nj1 t1 dropped\nj2 t1 dropped\n")
    assert err == "jobs dropped, as their stream is full (GROUNDWIRE_MAX_BACKLOG): 2\n"
    assert len(queue.jobs()) == 1


def test_an_id_with_control_characters_cannot_command_the_terminal(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    assert queue.jobs() == []
    _, out, _ = run("submit", write_jobs({"job_id": "a\x1b[2Jb\nc"}))
    assert out == "a\\x1b[2Jb\\nc t1\n"


def test_output_is_utf8_whatever_the_locale(queue: Any, write_jobs: WriteJobs) -> None:
    command = [sys.executable, "-m", "groundwire.worker.cli", "submit", str(write_jobs({"trace_id": "zürich"}))]
    environment = dict(os.environ) | {"PYTHONIOENCODING": "ascii", "GROUNDWIRE_PREFIX": queue.settings.prefix}
    ended = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert ended.stdout.endswith(" zürich\n".encode())


def test_submit_and_wait_prints_the_results(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    published = [queue.publish(f"t{i}", f"j{i}") for i in (2, 1)]
    code, out, err = run("submit", write_jobs(*({"trace_id": f"t{i}", "job_id": f"j{i}"} for i in (1, 2))), "--wait")
    assert (code, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == [r.model_dump(mode="json") for r in reversed(published)]


def test_a_wait_that_times_out_prints_what_is_there_and_fails(queue: Any, run: Run, write_jobs: WriteJobs) -> None:
    queue.publish("t1", "done")
    code, out, err = run("submit", write_jobs({"job_id": "never"}, {"job_id": "done"}), "--wait", "--timeout", "0.1")
    assert code == 1
    assert [json.loads(line)["job_id"] for line in out.splitlines()] == ["done"]
    assert err.startswith("1 of 2 results are missing; the first: no result of job never within 0.1 s; ")
    assert err.count("\n") == 1


def test_a_wait_for_a_corrected_job_passes_over_its_old_error(
    queue: Any, start: Callable[..., Any], write_jobs: WriteJobs
) -> None:
    queue.publish("t1", "j1", error="scoring_failed")
    waiting = start("submit", str(write_jobs({"job_id": "j1"})), "--wait", "--timeout", "30")
    queue.server.xread({queue.keys.stream("jobs"): "0"}, block=30_000)
    good = queue.publish("t1", "j1")
    assert json.loads(waiting.stdout.readline()) == good.model_dump(mode="json")
    assert waiting.end() == (0, b"")


def test_a_wait_ends_with_1_when_a_metric_failed(queue: Any, start: Callable[..., Any], write_jobs: WriteJobs) -> None:
    waiting = start("submit", str(write_jobs({"job_id": "j1"})), "--wait", "--timeout", "30")
    queue.server.xread({queue.keys.stream("jobs"): "0"}, block=30_000)
    bad = queue.publish("t1", "j1", error="scoring_failed")
    assert json.loads(waiting.stdout.readline()) == bad.model_dump(mode="json")
    assert waiting.end() == (1, b"")


def test_what_is_no_result_is_named_and_passed_over(queue: Any, run: Run) -> None:
    foreign = queue.server.xadd(queue.keys.results, {"payload": "a text that stays private"}).decode()
    queue.publish("t1", "j1")
    code, out, err = run("results", "--json")
    assert code == 1
    assert [json.loads(line)["job_id"] for line in out.splitlines()] == ["j1"]
    assert err == f"entry {foreign} of the results stream is not a whole result; look at what wrote it\n"


def test_results_as_lines_for_people_and_as_json(queue: Any, run: Run) -> None:
    published = [queue.publish("t1", "j1"), queue.publish("t2", "j2")]
    code, out, _ = run("results")
    assert code == 0
    assert out.splitlines()[0] == (
        "2026-01-01T00:00:00.000Z  t1  j1  faithfulness 0.50 success (1 of 2 supported, 1 contradicted)"
    )
    _, out, _ = run("results", "--json")
    assert [json.loads(line) for line in out.splitlines()] == [r.model_dump(mode="json") for r in published]
    _, out, _ = run("results", "--trace", "t2", "--json")
    assert [json.loads(line)["job_id"] for line in out.splitlines()] == ["j2"]
    assert run("results", "--after", "$") == (0, "", "")


def test_following_results_ends_with_ctrl_c(queue: Any, start: Callable[..., Any]) -> None:
    first = queue.publish("t1", "j1")
    following = start("results", "--follow", "--json")
    assert json.loads(following.stdout.readline()) == first.model_dump(mode="json")
    second = queue.publish("t2", "j2")
    assert json.loads(following.stdout.readline()) == second.model_dump(mode="json")
    following.process.send_signal(signal.SIGINT)
    assert following.end() == (130, b"")


def test_dead_letters_are_listed_shown_and_replayed(queue: Any, run: Run) -> None:
    payload = b'{"trace_id":"t1","response_text":7}'
    first, cut = queue.bury(payload), queue.bury(payload, kept=5)
    code, out, _ = run("dead", "list")
    assert code == 0
    assert out.splitlines()[0] == f"{first}  invalid_field  t1  1 attempt  response_text: should be a text"
    _, out, _ = run("dead", "list", "--json")
    assert [json.loads(line)["replayable"] for line in out.splitlines()] == [True, False]
    assert "payload" not in json.loads(out.splitlines()[0])
    _, out, _ = run("dead", "show", first)
    assert json.loads(out)["payload"] == payload.decode()
    code, out, err = run("dead", "replay", "--all")
    assert code == 0
    assert len(out.splitlines()) == 1
    assert err == f"{cut}: left where it is; its job was not kept whole\n"
    assert queue.jobs() == [json.loads(payload)]
    code, _, err = run("dead", "replay", cut)
    assert code == 2
    assert err.startswith(f"groundwire: error: dead letter {cut} can't be replayed")


def test_dead_letters_are_removed_only_when_told_so_twice(queue: Any, run: Run) -> None:
    queue.bury(b"{}")
    other = queue.server.xadd(queue.keys.dead, {"reason": "not_json"}).decode()
    assert run("dead", "list", "--reason", "not_json")[1].startswith(other)
    asked = "would be removed: 1; repeat the command with --yes to remove them for good\n"
    assert run("dead", "purge", "--reason", "not_json") == (0, asked, "")
    assert queue.server.xlen(queue.keys.dead) == 2
    assert run("dead", "purge", "--reason", "not_json", "--yes") == (0, "removed: 1\n", "")
    assert run("dead", "purge", "--older-than", "3600", "--yes") == (0, "removed: 0\n", "")
    code, out, err = run("dead", "purge", "--reason", "no_json", "--yes")
    assert (code, out) == (2, "")
    assert "argument --reason: invalid choice: 'no_json' (choose from 'not_utf8', 'not_json'" in err
    assert run("dead", "purge", "--yes") == (0, "removed: 1\n", "")
    assert queue.server.xlen(queue.keys.dead) == 0


def test_a_payload_that_is_no_utf8_is_shown_all_the_same(queue: Any, run: Run) -> None:
    _, out, _ = run("dead", "show", queue.bury(b'{"\xff"}'))
    assert json.loads(out)["payload"] == '{"\\xff"}'


def test_a_dead_letter_that_is_not_there(queue: Any, run: Run) -> None:
    assert queue.jobs() == []
    code, _, err = run("dead", "show", "1-1")
    assert code == 2
    assert "no dead letter has the id 1-1" in err


def test_health_with_and_without_a_fresh_heartbeat(queue: Any, run: Run, tmp_path: Path) -> None:
    assert queue.jobs() == []
    beat = tmp_path / "beat"
    assert run("health") == (0, "healthy\n", "")
    code, out, _ = run("health", "--heartbeat-file", beat)
    assert code == 1
    assert out.startswith(f"unhealthy: there is no heartbeat {beat}")
    beat.touch()
    assert run("health", "--heartbeat-file", beat)[0] == 0


def test_a_stale_heartbeat_is_not_healthy(queue: Any, run: Run, tmp_path: Path) -> None:
    assert queue.jobs() == []
    beat = tmp_path / "beat"
    beat.touch()
    code, out, _ = run("health", "--heartbeat-file", beat, "--max-age", "1e-9")
    assert code == 1
    assert "more than 1e-09 s" in out


@pytest.mark.parametrize("words", [["results"], ["dead", "list"], ["submit", "/dev/null"]])
def test_a_server_that_is_gone_is_one_line(words: list[str], run: Run) -> None:
    code, out, err = run(*words, "--redis-url", NOBODY)
    assert (code, out) == (2, "")
    assert err.startswith("groundwire: error: no answer from the Redis server at 127.0.0.1:1")
    assert err.count("\n") == 1


def test_health_of_a_server_that_is_gone(run: Run) -> None:
    code, out, err = run("health", "--redis-url", NOBODY)
    assert (code, err) == (1, "")
    assert out.startswith("unhealthy: no answer from the Redis server")


def test_a_setting_that_cannot_be_used_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWIRE_PREFIX", "no braces")
    code, _, err = run("results")
    assert code == 2
    assert "GROUNDWIRE_PREFIX" in err
    assert err.count("\n") == 1
