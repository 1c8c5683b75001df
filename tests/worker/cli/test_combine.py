"""`groundwire combine` as its users start it, killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import Combiner, CombineSettings
from groundwire.schemas import Combined, composite

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

WEIGHTS = {"faithfulness": 2.0, "toxicity": 1.0}
FLAG = "faithfulness=2,toxicity=1"


def send(queue: Any, job_id: str, span_id: str, **scores: float | None) -> None:
    metrics = {name: {"score": score} for name, score in scores.items()}
    payload = {"v": 1, "trace_id": "t1", "span_id": span_id, "job_id": job_id, "metrics": metrics}
    queue.server.xadd(queue.keys.results, {"payload": json.dumps(payload)})


def published(queue: Any) -> list[Combined]:
    entries = queue.server.xrange(queue.keys.composites)
    return [Combined.model_validate_json(fields[b"payload"]) for _, fields in entries]


def test_lines_for_people_and_json_of_what_was_published(queue: Any, run: Run) -> None:
    queue.publish("t1", "j1")
    code, out, err = run("combine", "--once", "--wait", "0")
    assert (code, err) == (0, "")
    (combined,) = published(queue)
    assert out == f"{combined.combined_at}  t1  s1  0.50  coverage 0.40  incomplete  revision 1\n"
    send(queue, "theirs", "s\x1b[2J", faithfulness=None, toxicity=None)
    _, out, _ = run("combine", "--once", "--weights", FLAG)
    assert out.endswith("  t1  s\\x1b[2J  no score  coverage 0.00  complete  revision 1\n")
    send(queue, "theirs", "s3", faithfulness=1, toxicity=0.25)
    _, out, _ = run("combine", "--once", "--json", "--weights", FLAG)
    assert Combined.model_validate_json(out) == published(queue)[-1]
    assert json.loads(out)["composite"]["score"] == 0.75
    assert run("combine", "--once") == (0, "", "")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--weights", "faithfulness"], "GROUNDWIRE_WEIGHTS=faithfulness"),
        (["--weights", "a=-1"], "GROUNDWIRE_WEIGHTS=a=-1"),
        (["--wait", "soon"], "GROUNDWIRE_COMBINE_WAIT_S=soon"),
        (["--wait", "-1"], "GROUNDWIRE_COMBINE_WAIT_S=-1"),
        (["--wait", "nan"], "GROUNDWIRE_COMBINE_WAIT_S=nan"),
        (["--log-level", "LOUD"], "GROUNDWIRE_LOG_LEVEL=LOUD"),
        (["--redis-url", "redis://127.0.0.1:1/0"], "no answer from the Redis server at 127.0.0.1:1"),
    ],
)
def test_a_flag_that_cannot_be_used_is_one_line(words: list[str], named: str, run: Run) -> None:
    code, out, err = run("combine", "--once", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"groundwire: error: {named}")
    assert err.count("\n") == 1


def start(queue: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "groundwire.worker.cli", "combine", "--json", "--weights", FLAG]
    environment = dict(os.environ) | {"GROUNDWIRE_PREFIX": queue.settings.prefix}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_sigterm_ends_it_well(queue: Any) -> None:
    send(queue, "ours", "s1", faithfulness=0.5, toxicity=0.5)
    with start(queue) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["span_id"] == "s1"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == ""
    assert process.returncode == 0


def test_settings_of_workers_are_none_of_its_business(queue: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    send(queue, "ours", "s1", faithfulness=0.5, toxicity=0.5)
    monkeypatch.setenv("GROUNDWIRE_THREADS", "many")
    code, out, _ = run("combine", "--once", "--wait", "0")
    assert (code, out.count("\n")) == (0, 1)
    monkeypatch.setenv("GROUNDWIRE_LOG_LEVEL", "loud")
    code, _, err = run("combine", "--once")
    assert (code, "GROUNDWIRE_LOG_LEVEL=loud" in err) == (2, True)


def send_spans(queue: Any, spans: range) -> None:
    """Two parts of each span, far apart, one of them twice, the second one corrected later."""
    for round_ in ({"ours": {"faithfulness": 0.9}}, {"theirs": {"toxicity": 0.2}}, {"ours": {"faithfulness": 0.9}}):
        for n in spans:
            for job_id, scores in round_.items():
                send(queue, f"{job_id} of {n}", f"s{n}", **scores)
    for n in spans:
        send(queue, f"theirs of {n}", f"s{n}", toxicity=0.4)


def assert_each_span_has_its_composite(queue: Any, spans: range) -> None:
    """Revisions count up from 1 without gaps or repeats, the last one is right, and nothing is left to do."""
    found = published(queue)
    revisions = Counter((combined.span_id, combined.revision) for combined in found)
    assert set(revisions.values()) == {1}
    last = {combined.span_id: combined for combined in sorted(found, key=lambda combined: combined.revision)}
    assert set(last) == {f"s{n}" for n in spans}
    for span_id, combined in last.items():
        assert [revisions[span_id, n] for n in range(1, combined.revision + 1)] == [1] * combined.revision
        assert combined.composite == composite({"faithfulness": 0.9, "toxicity": 0.4}, WEIGHTS)
        assert combined.complete
    assert queue.server.xpending(queue.keys.results, "combine")["pending"] == 0
    assert not queue.server.exists(queue.keys.deadlines)


def combiner(queue: Any, name: str) -> Combiner:
    """One that takes over at once what others have read and not joined."""
    settings = CombineSettings(redis_url=queue.settings.redis_url, prefix=queue.settings.prefix, weights=WEIGHTS)
    return Combiner(settings, name, claim_idle_ms=0)


def test_killed_at_any_point_it_publishes_nothing_twice_and_loses_nothing(queue: Any) -> None:
    spans_each = 40
    lines_each = (1, 20, spans_each)
    for round_, lines in enumerate(lines_each):
        send_spans(queue, range(round_ * spans_each, (round_ + 1) * spans_each))
        with start(queue) as process:
            assert process.stdout is not None
            for _ in range(lines):
                assert process.stdout.readline()
            process.kill()
    with combiner(queue, "the last one") as last:
        list(last.run_once())
    assert_each_span_has_its_composite(queue, range(spans_each * len(lines_each)))


def test_several_at_once_share_the_work_and_publish_nothing_twice(queue: Any) -> None:
    spans = range(60)
    send_spans(queue, spans)
    combiners = [combiner(queue, f"combiner {n}") for n in range(4)]
    threads = [Thread(target=list, args=(one.run_once(),)) for one in combiners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in combiners:
        with one:
            list(one.run_once())
    assert_each_span_has_its_composite(queue, spans)
