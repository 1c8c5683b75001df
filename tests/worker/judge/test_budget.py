"""What the judge may take for a job, over all of its metrics."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError
from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import JudgeError, JudgeStep, MetricName, MetricResult, Status
from groundwire.worker.judge.budget import Budget, Limits
from tests.worker.judge.conftest import answer_well
from tests.worker.judge.judge_server import Answer, JudgeServer, judging

if TYPE_CHECKING:
    from tests.worker.judge.conftest import Score

ALL = (MetricName.FAITHFULNESS, MetricName.ANSWER_RELEVANCE, MetricName.CONTEXT_PRECISION)


def error_of(metric: MetricResult) -> tuple[str, str]:
    assert (metric.score, metric.status) == (None, Status.ERROR)
    assert metric.error is not None
    return metric.error.code, metric.error.message


def test_no_more_requests_than_the_job_may_have(server: JudgeServer, score: Score) -> None:
    code, message = error_of(score(MetricName.FAITHFULNESS, judge_max_requests=3)["faithfulness"])
    assert code == "judge_over_budget"
    assert message == (
        "step reason: the job has used its 3 requests of the judge; raise GROUNDWIRE_JUDGE_MAX_REQUESTS, or ask for "
        "fewer metrics at a time"
    )
    assert len(server.asked) == 3


def test_retries_count_as_requests(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.TRUTHS, Answer(status=500))
    code, _ = error_of(score(MetricName.FAITHFULNESS, judge_retries=9, judge_max_requests=2)["faithfulness"])
    assert code == "judge_unavailable"
    assert len(server.asked) == 2


def test_metrics_share_the_budget(server: JudgeServer, score: Score) -> None:
    metrics = score(*ALL, judge_max_requests=5)
    assert len(server.asked) == 5
    assert sum(metric.status is Status.ERROR for metric in metrics.values()) == 1
    assert {metric.error.code for metric in metrics.values() if metric.error} == {"judge_over_budget"}


def test_nothing_is_asked_once_the_tokens_are_used(server: JudgeServer, score: Score) -> None:
    code, message = error_of(score(MetricName.FAITHFULNESS, judge_max_tokens=220)["faithfulness"])
    assert code == "judge_over_budget"
    assert message.startswith("step verdicts: the job has used its 220 tokens of the judge; ")
    assert server.steps() == [JudgeStep.TRUTHS, JudgeStep.CLAIMS]


def test_nothing_is_asked_once_the_time_is_over() -> None:
    budget = Budget(Limits(max_requests=9, max_tokens=9, budget_s=0.0, timeout_s=60.0, retries=2))
    with pytest.raises(JudgeError, match="used its 0 s of the judge; raise GROUNDWIRE_JUDGE_BUDGET_S"):
        budget.grant()


def test_retries_and_timeouts_fit_into_what_is_left_of_the_time() -> None:
    for budget_s, requests in ((600.0, 3), (180.0, 3), (100.0, 2), (30.0, 1)):
        limits = Limits(max_requests=9, max_tokens=9, budget_s=budget_s, timeout_s=60.0, retries=2)
        granted = Budget(limits).grant()
        assert granted.requests == requests
        assert granted.timeout_s <= min(60.0, budget_s / requests)


def test_a_question_that_took_less_gives_back_the_rest() -> None:
    budget = Budget(Limits(max_requests=4, max_tokens=9, budget_s=600.0, timeout_s=1.0, retries=2))
    first = budget.grant()
    assert first.requests == 3
    assert budget.grant().requests == 1
    budget.settle(first, 1, 5)
    assert budget.grant().requests == 2


def test_what_others_may_give_back_is_waited_for() -> None:
    budget = Budget(Limits(max_requests=3, max_tokens=9, budget_s=600.0, timeout_s=1.0, retries=2))
    first = budget.grant()
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(budget.grant)
        assert not second.done()
        budget.settle(first, 1, 5)
        assert second.result(30).requests == 2


def test_the_metrics_of_a_job_are_judged_side_by_side(score: Score) -> None:
    together = Barrier(3)

    def meet(server: JudgeServer) -> None:
        if len(server.asked) <= 3:
            together.wait(30)

    with judging(meet) as server:
        answer_well(server)
        metrics = score(*ALL, judge_url=server.url)
    assert all(metric.score is not None for metric in metrics.values())
    assert server.most_at_once == 3


def test_or_one_after_another(score: Score) -> None:
    together = Barrier(2)

    def meet(_: JudgeServer) -> None:
        with pytest.raises(BrokenBarrierError):
            together.wait(0.02)

    with judging(meet) as server:
        answer_well(server)
        metrics = score(*ALL, judge_url=server.url, judge_concurrency=1)
    assert all(metric.score is not None for metric in metrics.values())
    assert server.most_at_once == 1
