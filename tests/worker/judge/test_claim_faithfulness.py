"""Faithfulness in four steps, against a local server that speaks the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import JudgedFaithfulnessDetails, JudgeStep, MetricName, MetricResult, SkipReason, Status
from tests.worker.judge.conftest import ANSWER, CLAIMS, REASON, TRUTHS, verdicts

if TYPE_CHECKING:
    from tests.worker.judge.conftest import Score
    from tests.worker.judge.judge_server import JudgeServer

STEPS = [JudgeStep.TRUTHS, JudgeStep.CLAIMS, JudgeStep.VERDICTS, JudgeStep.REASON]
F = MetricName.FAITHFULNESS


def details(metric: MetricResult) -> JudgedFaithfulnessDetails:
    assert isinstance(metric.details, JudgedFaithfulnessDetails)
    return metric.details


def test_truths_claims_verdicts_and_a_reason_give_the_share_of_claims_that_are_not_denied(
    server: JudgeServer, score: Score
) -> None:
    metric = score(F)["faithfulness"]
    assert (metric.score, metric.status, metric.threshold) == (pytest.approx(2 / 3), Status.SUCCESS, 0.5)
    assert metric.reason == REASON["reason"]
    assert (metric.total_qualifying, metric.entailed_count, metric.contradicted_count) == (3, 1, 1)
    found = details(metric)
    assert found.truths == tuple(TRUTHS["truths"])
    assert [(one.claim, one.verdict, one.reason) for one in found.claims] == [
        (claim, verdict, f"Because of {index}.")
        for index, (claim, verdict) in enumerate(zip(CLAIMS["claims"], ["yes", "no", "idk"], strict=True))
    ]
    truths, claims, judged, reason = server.asked
    assert server.steps() == STEPS
    assert claims.given == {"answer": ANSWER}
    assert judged.given["truths"] == TRUTHS["truths"]
    assert [one["claim"] for one in judged.given["claims"]] == CLAIMS["claims"]
    assert reason.given["score"] == 0.67
    assert [one["verdict"] for one in reason.given["verdicts"]] == ["yes", "no", "idk"]
    assert truths.path == "/v1/chat/completions"
    assert (truths.body["model"], truths.body["temperature"]) == ("m1", 0)
    wanted = truths.body["response_format"]["json_schema"]
    assert (wanted["name"], wanted["strict"]) == ("truths", True)
    assert wanted["schema"]["required"] == ["truths"]
    assert wanted["schema"]["additionalProperties"] is False


def test_a_chunk_is_read_as_title_headings_description_and_content(server: JudgeServer, score: Score) -> None:
    score(F)
    assert server.asked[0].given == {
        "context": "Harbours of the north\nTrade > Vardal\nA survey of 1901\n"
        "The harbour of Vardal was dug in 1870 by hand.\n\nIt holds forty fishing boats in winter."
    }


def test_raw_responses_tokens_and_latencies_are_kept(score: Score) -> None:
    record = details(score(F)["faithfulness"]).judge
    assert record.model == "m1"
    assert [one.step for one in record.steps] == STEPS
    for one in record.steps:
        assert one.raw is not None
        assert one.raw_chars == len(one.raw) > 0
        assert (one.prompt_tokens, one.completion_tokens, one.requests) == (100, 10, 1)
        assert one.latency_ms > 0
        assert (one.problem, one.repair) == (None, False)


@pytest.mark.parametrize(
    ("words", "expected", "status"),
    [
        (("yes", "no"), 0.5, Status.SUCCESS),
        (("no", "no", "idk"), 1 / 3, Status.FAILURE),
        (("no",), 0.0, Status.FAILURE),
        ((" No ", "YES", "\tIdk", "yes "), 0.75, Status.SUCCESS),
    ],
)
def test_only_no_lowers_the_score_trimmed_and_in_any_case(
    server: JudgeServer, score: Score, words: tuple[str, ...], expected: float, status: Status
) -> None:
    server.answer(JudgeStep.CLAIMS, {"claims": [f"Claim {number}." for number in range(len(words))]})
    server.answer(JudgeStep.VERDICTS, verdicts(*words))
    metric = score(F)["faithfulness"]
    assert (metric.score, metric.status) == (pytest.approx(expected), status)


def test_nothing_denied_gives_1_with_a_standard_reason_and_no_further_call(server: JudgeServer, score: Score) -> None:
    server.answer(JudgeStep.VERDICTS, verdicts("yes", "idk", "yes"))
    metric = score(F)["faithfulness"]
    assert (metric.score, metric.status) == (1.0, Status.SUCCESS)
    assert metric.reason == "The judge denied none of the answer's 3 claims."
    assert server.steps() == STEPS[:3]


@pytest.mark.parametrize(
    ("step", "empty", "message"),
    [
        (JudgeStep.TRUTHS, {"truths": []}, "step truths: the judge found no truths in the context"),
        (JudgeStep.TRUTHS, {"truths": [" "]}, "step truths: the judge found no truths in the context"),
        (JudgeStep.CLAIMS, {"claims": []}, "step claims: the judge found no claims in the answer"),
        (JudgeStep.VERDICTS, {"verdicts": []}, "step verdicts: the judge gave no verdicts"),
    ],
)
def test_an_empty_list_is_an_error_that_names_the_step_and_keeps_what_came_before(
    server: JudgeServer, score: Score, step: JudgeStep, empty: dict[str, list[str]], message: str
) -> None:
    server.answer(step, empty)
    metric = score(F)["faithfulness"]
    assert (metric.score, metric.status) == (None, Status.ERROR)
    assert metric.error is not None
    assert (metric.error.code, metric.error.message) == ("judge_empty", message)
    asked = STEPS[: STEPS.index(step) + 1]
    assert server.steps() == asked
    kept = details(metric).judge.steps
    assert [one.step for one in kept] == asked
    assert all(one.raw and one.prompt_tokens == 100 for one in kept)
    assert bool(details(metric).truths) is (step is not JudgeStep.TRUTHS)


@pytest.mark.parametrize("step", STEPS)
def test_rubbish_at_any_step_is_an_error_and_never_a_score(server: JudgeServer, score: Score, step: JudgeStep) -> None:
    server.answer(step, "Sure! Here you are.")
    metric = score(F)["faithfulness"]
    assert (metric.score, metric.status) == (None, Status.ERROR)
    assert metric.error is not None
    assert metric.error.code == "judge_malformed"
    assert metric.error.message.startswith(f"step {step}: the judge's response can't be used, ")
    assert server.steps() == [*STEPS[: STEPS.index(step)], step, step]
    last = details(metric).judge.steps[-1]
    assert (last.raw, last.repair) == ("Sure! Here you are.", True)
    assert last.problem is not None


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"finish_reason": "content_filter"}, SkipReason.FINISH_REASON_BLOCKED),
        ({"contexts": None}, SkipReason.RAG_CONTEXT_NULL),
        ({"contexts": ["Too short."]}, SkipReason.RAG_CONTEXT_TOO_SHORT),
        ({"completion_tokens": 3}, SkipReason.COMPLETION_TOKENS_TOO_FEW),
        ({"response_text": "I don't know the answer to that."}, SkipReason.ABSTENTION),
        ({"response_text": "Yes."}, SkipReason.NO_QUALIFYING_SENTENCES),
    ],
)
def test_the_skip_rules_spare_the_questions(
    server: JudgeServer, score: Score, fields: dict[str, object], reason: SkipReason
) -> None:
    metric = score(F, **fields)["faithfulness"]
    assert (metric.status, metric.skip_reason, metric.score) == (Status.SKIPPED, reason, None)
    assert server.asked == []


def test_a_job_has_its_own_threshold(score: Score) -> None:
    metric = score(F, thresholds={"faithfulness": 0.9})["faithfulness"]
    assert (metric.threshold, metric.status) == (0.9, Status.FAILURE)
