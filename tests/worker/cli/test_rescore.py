from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import Job, ProfileName
from groundwire.worker.configured_profiles import configured_profiles
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

JOB: dict[str, Any] = {"trace_id": "t1", "span_id": "s1", "response_text": "An answer.", "rag_context": "A context."}


def config_hash(profile: ProfileName, **settings: Any) -> str:
    return configured_profiles(WorkerSettings(**settings))[profile].config_hash


def keep(queue: Any, entry_id: str = "*", **fields: Any) -> Job:
    """Keep a job as a worker does."""
    job = Job(**(JOB | fields))
    queue.server.xadd(queue.keys.scored, {"payload": job.to_payload()}, id=entry_id)
    return job


def test_a_job_comes_again_under_an_id_of_its_own(queue: Any, run: Run) -> None:
    keep(queue, job_id="j1")
    derived = keep(queue, span_id="s2", profile="original")
    code, out, err = run("rescore", "--since", "1h")
    ids = [f"j1@{config_hash(ProfileName.EVIDENCE)}", f"{derived.id}@{config_hash(ProfileName.ORIGINAL)}"]
    assert (code, out) == (0, "".join(f"{job_id} t1\n" for job_id in ids))
    assert err == "jobs sent: 2, scored like that before or dropped: 0, refused: 0\n"
    backfill = [json.loads(f[b"payload"]) for _, f in queue.server.xrange(queue.keys.stream("jobs:backfill"))]
    assert [(job["job_id"], job["rescored_from"]) for job in backfill] == [(ids[0], "j1"), (ids[1], derived.id)]
    assert [job["profile"] for job in backfill] == ["evidence", "original"]
    assert queue.jobs() == []


def test_another_profile_is_another_id(queue: Any, run: Run) -> None:
    keep(queue, job_id="j1")
    _, out, _ = run("rescore", "--since", "1h", "--profile", "original")
    assert out == f"j1@{config_hash(ProfileName.ORIGINAL)} t1\n"


def test_the_settings_are_part_of_the_id(queue: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(queue, job_id="j1")
    monkeypatch.setenv("GROUNDWIRE_MIN_CONTEXT_CHARS", "7")
    _, out, _ = run("rescore", "--since", "1h")
    assert out == f"j1@{config_hash(ProfileName.EVIDENCE, min_context_chars=7)} t1\n"


def test_a_long_id_still_fits_and_the_original_is_named(queue: Any, run: Run) -> None:
    keep(queue, job_id="j" * 128)
    assert run("rescore", "--since", "1h")[0] == 0
    [(_, fields)] = queue.server.xrange(queue.keys.stream("jobs:backfill"))
    again = json.loads(fields[b"payload"])
    assert len(again["job_id"]) == 128
    assert again["job_id"].endswith(f"@{config_hash(ProfileName.EVIDENCE)}")
    assert again["rescored_from"] == "j" * 128


@pytest.mark.parametrize(
    ("since", "ids"),
    [("2026-01-01T00:00:00Z", ["new"]), ("2025-06-01", ["mid", "new"]), ("2025-06-01T02:00:01+02:00", ["new"])],
)
def test_since_when(queue: Any, run: Run, since: str, ids: list[str]) -> None:
    keep(queue, "1-0", job_id="old")
    keep(queue, "1748736000000-0", job_id="mid")  # 2025-06-01T00:00:00Z
    keep(queue, job_id="new")
    _, out, _ = run("rescore", "--since", since)
    assert [line.partition("@")[0] for line in out.splitlines()] == ids


def test_many_jobs_are_read_in_pages(queue: Any, run: Run) -> None:
    for n in range(120):
        keep(queue, job_id=f"j{n}")
    assert len(run("rescore", "--since", "1h")[1].splitlines()) == 120


def test_what_was_scored_like_that_before_is_known(queue: Any, run: Run) -> None:
    keep(queue, job_id="j1")
    run("rescore", "--since", "1h")
    [(_, fields)] = queue.server.xrange(queue.keys.stream("jobs:backfill"))
    again = Job(**json.loads(fields[b"payload"]))
    queue.server.set(queue.keys.done(again.id), f"{again.content_hash} 1-1")
    code, _, err = run("rescore", "--since", "1h")
    assert (code, err) == (0, "jobs sent: 0, scored like that before or dropped: 1, refused: 0\n")


def test_a_full_stream_stops_it(queue: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(queue, job_id="j1")
    keep(queue, job_id="j2")
    monkeypatch.setenv("GROUNDWIRE_MAX_BACKLOG", "1")
    code, out, err = run("rescore", "--since", "1h")
    assert (code, len(out.splitlines())) == (1, 1)
    assert err.startswith("stopped: the stream jobs:backfill holds 1 jobs")


def test_nothing_was_kept(queue: Any, run: Run) -> None:
    assert queue.jobs() == []
    code, out, err = run("rescore", "--since", "7d")
    assert (code, out) == (0, "")
    assert err.splitlines() == [
        "jobs sent: 0, scored like that before or dropped: 0, refused: 0",
        "nothing was kept since then; GROUNDWIRE_KEEP_JOBS_S of the workers says for how long jobs are",
    ]
