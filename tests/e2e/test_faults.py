"""Real workers and intakes, killed, stopped and paused, with a scorer that does what a job says."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import GROUP, Client, ClientSettings, Keys, Submitted, connect
from groundwire.schemas import QueueError
from groundwire.worker.heartbeat import STALL_S, age_s
from tests.chaos.aof_server import AofServer
from tests.chaos.fast_worker import STALL_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import redis

FAST_WORKER = Path(__file__).parents[1] / "chaos" / "fast_worker.py"
RESULT_S = 30.0
TICK_S = 0.02


class Stand:
    """A server of its own, and the processes that a test starts against it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.aof = AofServer(folder)
        settings = ClientSettings(redis_url=self.aof.url)
        self.keys = Keys(settings.prefix)
        self.server: redis.Redis = connect(settings)
        self.client = Client(settings)
        self._started = ExitStack()
        self._logs: dict[int, Path] = {}

    def intake(self) -> subprocess.Popen[bytes]:
        intake = self._start([sys.executable, "-m", "groundwire.worker.cli", "intake"], {})
        until(lambda: bool(self.server.exists(self.keys.stream("jobs"))))  # with its group
        return intake

    def worker(self, stall_s: float = STALL_S, **settings: Any) -> subprocess.Popen[bytes]:
        variables = {f"GROUNDWIRE_{name.upper()}": str(value) for name, value in settings.items()}
        variables |= {"GROUNDWIRE_CONCURRENCY": "1", STALL_VARIABLE: str(stall_s)}
        return self._start([sys.executable, str(FAST_WORKER)], variables)

    def submit(self, name: str, answer: str = "hello") -> Submitted:
        return self.client.submit({"trace_id": name, "span_id": "s", "response_text": answer, "rag_context": None})

    def wait(self, *jobs: Submitted) -> None:
        for job in jobs:
            self.client.wait(job.trace_id, job.job_id, RESULT_S)

    def attempt(self, job: Submitted) -> int:
        result = self.client.result(job.trace_id, job.job_id)
        assert result is not None
        return result.attempt

    def holder(self, job: Submitted) -> str:
        pending = self.server.xpending_range(self.keys.stream("jobs"), GROUP, job.entry_id, job.entry_id, 1)
        return "".join(one["consumer"].decode() for one in pending)

    def until_in_work(self, *jobs: Submitted) -> None:
        until(lambda: all(self.holder(job).startswith("worker:") for job in jobs))

    def results(self) -> list[str]:
        return sorted(fields[b"trace_id"].decode() for _, fields in self.server.xrange(self.keys.results))

    def log_of(self, process: subprocess.Popen[bytes]) -> str:
        return self._logs[process.pid].read_text()

    def stop(self) -> None:
        self._started.close()
        self.client.close()
        self.server.close()
        self.aof.kill()

    def _start(self, command: list[str], variables: dict[str, str]) -> subprocess.Popen[bytes]:
        path = self.folder / f"{len(self._logs)}.log"
        environ = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDWIRE_")}
        with path.open("wb") as log:
            process = subprocess.Popen(
                command,
                env=environ | {"GROUNDWIRE_REDIS_URL": self.aof.url} | variables,
                stdout=log,
                stderr=log,
            )
        self._logs[process.pid] = path
        self._started.callback(end, process)
        return process


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(TICK_S)


def child_of(process: subprocess.Popen[bytes]) -> int:
    [child] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return int(child)


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    yield stand
    stand.stop()


def test_jobs_that_kill_their_process_or_find_no_memory_end_in_dead_and_their_neighbours_go_on(stand: Stand) -> None:
    deadly = {"j20": "kill", "j30": "fill the memory"}
    jobs = [stand.submit(f"j{n}", deadly.get(f"j{n}", "hello")) for n in range(40)]
    stand.intake()
    stand.worker(max_attempts=2)
    stand.wait(*jobs)
    letters = {letter.trace_id: letter for letter in stand.client.dead.list()}
    assert letters.keys() == deadly.keys()
    assert {(letter.reason, letter.attempts) for letter in letters.values()} == {("too_many_attempts", 2)}
    assert [line.split(";")[0] for line in letters["j20"].errors] == [
        "attempt 1: the worker died or stood still",
        "attempt 2: the worker died or stood still",
    ]
    assert [line.split(";")[0] for line in letters["j30"].errors] == ["attempt 1: MemoryError in the scorer"]
    assert "the last one with MemoryError in the scorer" in letters["j30"].error
    assert stand.results() == sorted(f"j{n}" for n in range(40))
    neighbours = [stand.client.result(job.trace_id, job.job_id) for job in jobs if job.trace_id not in deadly]
    assert {result.attempt for result in neighbours if result} == {1}
    assert not stand.server.exists(stand.keys.attempts, stand.keys.errors)


def test_a_worker_that_stops_hands_back_what_it_is_at_and_another_one_ends_it(stand: Stand) -> None:
    stand.intake()
    first = stand.worker(grace_s=4)
    long = stand.submit("long", "sleep 6")
    stand.until_in_work(long)
    taken_by = stand.holder(long)
    first.send_signal(signal.SIGTERM)
    stand.worker()
    assert first.wait(10) == 0
    stand.wait(long)
    assert stand.attempt(long) == 1
    assert stand.results() == ["long"]
    assert taken_by.startswith("worker:")


def test_a_short_job_is_ended_before_the_worker_stops(stand: Stand) -> None:
    stand.intake()
    worker = stand.worker()
    job = stand.submit("short", "sleep 1")
    stand.until_in_work(job)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(10) == 0
    assert stand.results() == ["short"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a worker's child is found in /proc")
def test_paused_workers_show_no_life_and_write_nothing_when_they_wake_up(stand: Stand) -> None:
    heartbeat = stand.folder / "heartbeat"
    stand.intake()
    halted = stand.worker(heartbeat_file=heartbeat, stall_s=1)  # its scoring process is paused
    asleep = stand.worker()  # paused as a whole
    until(lambda: all("ready" in stand.log_of(worker) for worker in (halted, asleep)))
    lost = [stand.submit(f"lost-{n}", "sleep 2") for n in range(2)]
    stand.until_in_work(*lost)
    paused = [child_of(halted), asleep.pid, child_of(asleep)]
    for process_id in paused:
        os.kill(process_id, signal.SIGSTOP)

    waiting = stand.submit("waiting", "hello")
    until(lambda: "no heartbeat" in stand.log_of(halted))
    assert (age_s(heartbeat) or 0) > 1

    third = stand.worker()
    stand.wait(*lost, waiting)
    end(third)
    for process_id in paused:
        os.kill(process_id, signal.SIGCONT)
    # The two share these, so what each of them had lost is behind it.
    after = [stand.submit(f"after-{n}", "sleep 2") for n in range(2)]
    stand.until_in_work(*after)
    assert stand.holder(after[0]) != stand.holder(after[1])
    stand.wait(*after)
    assert stand.results() == ["after-0", "after-1", "lost-0", "lost-1", "waiting"]
    assert [stand.attempt(job) for job in (*lost, *after)] == [2, 2, 1, 1]


def test_all_results_are_there_after_the_server_was_killed_and_restarted(stand: Stand) -> None:
    intake, worker = stand.intake(), stand.worker()
    jobs = [stand.submit(f"j{n:04}") for n in range(1_000)]
    until(lambda: stand.server.xlen(stand.keys.results) > 200)
    stand.aof.kill()
    stand.aof.start()
    stand.wait(*jobs)
    assert stand.results() == [job.trace_id for job in jobs]
    assert (intake.poll(), worker.poll()) == (None, None)
    assert list(stand.client.dead.list()) == []


def test_a_job_in_work_is_published_by_its_worker_when_the_server_is_back(stand: Stand) -> None:
    stand.intake()
    stand.worker()
    job = stand.submit("long", "sleep 1")
    stand.until_in_work(job)
    stand.aof.kill()
    time.sleep(1.5)  # the job ends meanwhile
    stand.aof.start()
    stand.wait(job)
    assert stand.attempt(job) == 1


def test_a_full_server_takes_nothing_and_loses_nothing(stand: Stand) -> None:
    stand.intake()
    worker = stand.worker()
    job = stand.submit("in-work", "sleep 1")
    stand.until_in_work(job)
    stand.server.config_set("maxmemory", 1)
    with pytest.raises(QueueError, match="OutOfMemoryError"):
        stand.submit("refused")
    until(lambda: "not written: OutOfMemoryError" in stand.log_of(worker))
    stand.server.config_set("maxmemory", 0)
    stand.wait(job, stand.submit("after"))
    assert stand.results() == ["after", "in-work"]


def test_garbage_on_celerys_list_is_quarantined_and_stops_nothing(stand: Stand) -> None:
    stand.intake()
    stand.worker()
    stand.wait(stand.submit("before"))
    garbage = [b"no JSON", b"{}", b'{"headers": {"id": "x"}, "properties": {}}', pickle.dumps([1]), b"\xff" * 100_000]
    stand.server.lpush(stand.keys.celery, *garbage)
    stand.wait(stand.submit("after"))
    letters = list(stand.client.dead.list())
    assert {letter.reason for letter in letters} == {"malformed_message"}
    assert sorted(letter.payload or b"" for letter in letters) == sorted(garbage)
    assert not any(letter.replayable for letter in letters)


@pytest.mark.parametrize("answer", ["sleep 60", "hold the interpreter"])
def test_a_job_beyond_its_limit_is_buried_and_the_worker_goes_on(stand: Stand, answer: str) -> None:
    stand.intake()
    stand.worker(job_timeout_s=1, max_attempts=1)
    slow = stand.submit("slow", answer)
    stand.until_in_work(slow)
    stand.wait(slow, stand.submit("after"))
    [letter] = stand.client.dead.list()
    assert letter.trace_id == "slow"
    assert letter.reason in ("timed_out", "too_many_attempts")


def test_what_a_dead_intake_had_read_is_sent_by_another(stand: Stand) -> None:
    dead = stand.intake()
    jobs = [stand.submit(f"j{n}") for n in range(20)]
    until(lambda: stand.server.llen(stand.keys.celery) > 0)
    end(dead)
    stand.server.delete(stand.keys.celery)
    stand.intake()
    stand.worker()
    stand.wait(*jobs)
    assert stand.results() == sorted(job.trace_id for job in jobs)
