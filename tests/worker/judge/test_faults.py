"""What goes wrong between Groundwire and a judge, against a local server that does it."""

from __future__ import annotations

import json
import socket
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import JudgedDetails, JudgeReply, JudgeStep, MetricName, MetricResult, Status
from tests.worker.judge.conftest import TRUTHS, verdicts
from tests.worker.judge.judge_server import Answer, judging

if TYPE_CHECKING:
    from tests.worker.judge.conftest import Score
    from tests.worker.judge.judge_server import JudgeServer

F = MetricName.FAITHFULNESS
GOOD_TRUTHS = json.dumps(TRUTHS)


def code_of(metric: MetricResult) -> str:
    assert (metric.score, metric.status) == (None, Status.ERROR)
    assert metric.error is not None
    return metric.error.code


def message_of(metric: MetricResult) -> str:
    assert metric.error is not None
    return metric.error.message


def replies(metric: MetricResult) -> tuple[JudgeReply, ...]:
    assert isinstance(metric.details, JudgedDetails)
    return metric.details.judge.steps


RUBBISH = [
    ("not JSON", Answer("The truths are as follows."), "it: invalid JSON: "),
    ("JSON in a fence", Answer(f"```json\n{GOOD_TRUTHS}\n```"), "it: invalid JSON: "),
    ("cut off", Answer(GOOD_TRUTHS[:20]), "it: invalid JSON: "),
    ("cut off, and said so", Answer(GOOD_TRUTHS[:20], finish_reason="length"), "it was cut off at a limit of length"),
    ("filtered", Answer(GOOD_TRUTHS, finish_reason="content_filter"), "it was stopped by a content filter"),
    ("empty", Answer(""), "it is empty"),
    ("null", Answer(None), "it is empty"),
    ("a list", Answer(["a"]), "it: input should be an object"),
    ("another field", Answer({"facts": ["a"]}), "truths: field required"),
    ("another type", Answer({"truths": "a"}), "truths: input should be a valid array"),
    ("another type inside", Answer({"truths": ["a", 7]}), "truths[1]: input should be a valid string"),
]


@pytest.mark.parametrize(("answer", "problem"), [row[1:] for row in RUBBISH], ids=[row[0] for row in RUBBISH])
def test_rubbish_is_repaired_once(server: JudgeServer, score: Score, answer: Answer, problem: str) -> None:
    server.answer(JudgeStep.TRUTHS, answer, TRUTHS)
    metric = score(F)["faithfulness"]
    assert metric.score == pytest.approx(2 / 3)
    first, second = replies(metric)[:2]
    assert (first.step, first.repair, second.step, second.repair) == ("truths", False, "truths", True)
    assert first.problem is not None
    assert first.problem.startswith(problem)
    assert second.problem is None
    repair = server.asked[1].body["messages"]
    assert repair[:2] == server.asked[0].body["messages"]
    assert [message["role"] for message in repair[2:]] == ["assistant", "user"]
    assert first.problem in repair[3]["content"]

    server.answer(JudgeStep.TRUTHS, answer)
    metric = score(F)["faithfulness"]
    assert code_of(metric) == "judge_malformed"
    assert message_of(metric).startswith("step truths: ")
    assert problem in message_of(metric)
    assert len(replies(metric)) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        verdicts("yes", "no"),
        verdicts("yes", "no", "idk", "no"),
        verdicts("yes", "no", "maybe"),
        {"verdicts": [{"index": 0, "verdict": "no", "reason": "r"}] * 3},
        {"verdicts": ["yes", "no", "idk"]},
    ],
)
def test_verdicts_that_are_not_one_for_each_claim_are_rubbish(
    server: JudgeServer, score: Score, wrong: dict[str, Any]
) -> None:
    server.answer(JudgeStep.VERDICTS, wrong)
    assert code_of(score(F)["faithfulness"]) == "judge_malformed"
    server.answer(JudgeStep.VERDICTS, wrong, verdicts("no", "no", "no"))
    assert score(F)["faithfulness"].score == 0.0


@pytest.mark.parametrize("status", [429, 500, 503])
def test_faults_that_pass_are_tried_again(server: JudgeServer, score: Score, status: int) -> None:
    server.answer(JudgeStep.TRUTHS, Answer(status=status), Answer(status=status), TRUTHS)
    metric = score(F)["faithfulness"]
    assert metric.score == pytest.approx(2 / 3)
    assert replies(metric)[0].requests == 3


@pytest.mark.parametrize("status", [429, 500])
def test_and_when_they_do_not_pass_the_judge_is_unavailable(server: JudgeServer, score: Score, status: int) -> None:
    server.answer(JudgeStep.CLAIMS, Answer(status=status))
    metric = score(F, judge_retries=1)["faithfulness"]
    assert code_of(metric) == "judge_unavailable"
    expected = f"step claims: the judge answers with HTTP {status}; score the job again later"
    assert message_of(metric) == expected
    truths, claims = replies(metric)
    assert truths.raw == GOOD_TRUTHS
    assert (claims.raw, claims.requests) == (None, 2)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "how much context the model takes"),
        (401, "GROUNDWIRE_JUDGE_API_KEY"),
        (403, "GROUNDWIRE_JUDGE_API_KEY"),
        (404, "GROUNDWIRE_JUDGE_MODEL"),
        (413, "send fewer or shorter chunks"),
    ],
)
def test_a_refusal_says_what_to_check_and_is_not_tried_again(
    server: JudgeServer, score: Score, status: int, advice: str
) -> None:
    server.answer(JudgeStep.TRUTHS, Answer("QUOKKA", status=status))
    metric = score(F)["faithfulness"]
    assert code_of(metric) == "judge_refused"
    assert message_of(metric).startswith(f"step truths: the judge refuses with HTTP {status}; ")
    assert advice in message_of(metric)
    assert "QUOKKA" not in metric.model_dump_json()
    assert len(server.asked) == (2 if status == 400 else 1)  # a format that is refused is tried as another


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b"{}", b'{"choices": []}', b'{"choices": [{"text": "a"}]}'])
def test_what_is_no_completion_is_refused(server: JudgeServer, score: Score, body: bytes) -> None:
    server.answer(JudgeStep.TRUTHS, Answer(body=body))
    metric = score(F)["faithfulness"]
    assert code_of(metric) == "judge_refused"
    assert "something else than a chat completion; check GROUNDWIRE_JUDGE_URL" in message_of(metric)


def test_a_slow_judge_is_unavailable_after_the_timeout(server: JudgeServer, score: Score) -> None:
    never = Event()
    server.answer(JudgeStep.TRUTHS, Answer(TRUTHS, until=never))
    try:
        metric = score(F, judge_timeout_s=0.2, judge_retries=1)["faithfulness"]
    finally:
        never.set()
    assert code_of(metric) == "judge_unavailable"
    assert "gave no answer within 0.2 s, in 2 requests" in message_of(metric)
    assert replies(metric)[0].requests == 2


def test_a_judge_that_is_not_there_is_unavailable(score: Score) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken and not listening: nobody else can be there
        metric = score(F, judge_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1", judge_retries=0)["faithfulness"]
    assert code_of(metric) == "judge_unavailable"
    assert "can't be reached, in 1 requests; check GROUNDWIRE_JUDGE_URL" in message_of(metric)


def test_an_endpoint_without_json_schemas_is_asked_for_json_objects_from_then_on(
    server: JudgeServer, score: Score
) -> None:
    server.answer(JudgeStep.TRUTHS, Answer(status=400), TRUTHS)
    metric = score(F)["faithfulness"]
    assert metric.score == pytest.approx(2 / 3)
    formats = [one.body["response_format"]["type"] for one in server.asked]
    assert formats == ["json_schema", *["json_object"] * 4]
    assert replies(metric)[0].requests == 2
    # such endpoints want the word in the prompt
    assert all("JSON" in one.body["messages"][0]["content"] for one in server.asked)


def test_a_redirect_is_not_followed(server: JudgeServer, score: Score) -> None:
    with judging() as elsewhere:
        headers = {"Location": f"{elsewhere.url}/chat/completions"}
        server.answer(JudgeStep.TRUTHS, Answer(status=307, headers=headers))
        metric = score(F)["faithfulness"]
        assert elsewhere.asked == []
    assert code_of(metric) == "judge_refused"
    assert "HTTP 307" in message_of(metric)
