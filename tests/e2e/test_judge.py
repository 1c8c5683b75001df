"""A real worker with a judge that takes its time, that is down, and that nobody asked for."""

from __future__ import annotations

import time
from threading import Event
from typing import TYPE_CHECKING, Any

from groundwire.client import GROUP
from groundwire.schemas import JudgeStep, Status
from tests.e2e.conftest import JUDGE_KEY, MARKER
from tests.worker.judge.conftest import answer_well, job_fields, verdicts
from tests.worker.judge.judge_server import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.conftest import System

TICK_S = 0.02
RESULT_S = 60.0


def test_a_job_that_waits_for_its_judge_keeps_its_lease_and_has_one_result(system: System) -> None:
    slow = Event()
    answer_well(system.judge)
    system.judge.answer(JudgeStep.VERDICTS, Answer(verdicts("yes", "no", "idk"), until=slow))
    marked = {"contexts": [{"title": MARKER, "text": f"The harbour was dug in 1870, as {MARKER} has it."}]}
    sent = system.client.submit(job_fields() | marked | {"trace_id": "judged", "metrics": ["faithfulness"]})

    while JudgeStep.VERDICTS not in system.judge.steps():
        time.sleep(TICK_S)

    def idle_ms() -> int:
        [pending] = system.server.xpending_range(system.keys.stream("jobs"), GROUP, sent.entry_id, sent.entry_id, 1)
        return int(pending["time_since_delivered"])

    idle = [idle_ms()]
    while idle[-1] >= idle[0]:  # until the lease is renewed
        time.sleep(TICK_S)
        idle.append(idle_ms())
    assert system.client.result(sent.trace_id, sent.job_id) is None
    slow.set()
    result = system.client.wait(sent.trace_id, sent.job_id, RESULT_S)
    assert result.attempt == 1
    metric = result.metrics["faithfulness"]
    assert (metric.status, metric.contradicted_count) == (Status.SUCCESS, 1)
    asked = [one for one in system.judge.asked if MARKER in one.given.get("context", "")]
    assert [one.headers["authorization"] for one in asked] == [f"Bearer {JUDGE_KEY}"]
    log = system.logs["worker"].read_text()
    assert MARKER not in log
    assert JUDGE_KEY not in log


def test_a_judge_that_is_down_is_an_error_in_the_result_and_no_dead_letter(system: System) -> None:
    system.judge.answer(JudgeStep.TRUTHS, Answer(status=503))
    fields = job_fields() | {"trace_id": "judge-down", "metrics": ["faithfulness", "groundedness"]}
    sent = system.client.submit(fields)
    result = system.client.wait(sent.trace_id, sent.job_id, RESULT_S)
    assert result.attempt == 1
    error = result.metrics["faithfulness"].error
    assert error is not None
    assert error.code == "judge_unavailable"
    assert result.metrics["groundedness"].score is not None
    assert result.scorer is not None


def test_a_job_that_does_not_ask_for_the_judge_is_not_sent_to_it(
    system: System, job: Callable[..., dict[str, Any]]
) -> None:
    asked = len(system.judge.asked)
    sent = system.client.submit(job("unjudged"))
    assert system.client.wait(sent.trace_id, sent.job_id, RESULT_S).metrics["faithfulness"].score is not None
    assert len(system.judge.asked) == asked
