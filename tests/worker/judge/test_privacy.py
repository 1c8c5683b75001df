"""Nothing leaves the machine unasked, and nothing that a judge reads or writes gets into a log."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import JudgeStep, MetricName, MetricResult, Result, SettingsError, Status, Timing
from groundwire.worker.judge.configured import configured_judge
from groundwire.worker.result_texts import fit, without_texts
from groundwire.worker.settings import WorkerSettings
from tests.worker.judge.judge_server import Answer

if TYPE_CHECKING:
    from tests.worker.judge.conftest import Score
    from tests.worker.judge.judge_server import JudgeServer

ALL = (MetricName.FAITHFULNESS, MetricName.ANSWER_RELEVANCE, MetricName.CONTEXT_PRECISION)
SECRET = "S3CRET"  # noqa: S105 - made up
WRITTEN = ("Vardal", "fifty boats", "Because of", "How many")
"""Pieces of what the judge reads and writes."""


def result_of(metrics: dict[str, MetricResult]) -> Result:
    return Result(
        job_id="j1",
        trace_id="t1",
        span_id="s1",
        metrics=metrics,
        scorer=None,
        timing=Timing(),
        evaluated_at="2026-11-30T12:00:00Z",
    )


@pytest.mark.parametrize("profile", [None, "evidence", "original"])
def test_without_profile_judge_nobody_is_asked_though_there_is_a_judge(
    server: JudgeServer, score: Score, profile: str | None
) -> None:
    metrics = score(*ALL, profile=profile)
    assert all(metric.score is not None for metric in metrics.values())
    assert server.asked == []


def test_without_a_judge_profile_judge_is_an_error_and_the_other_metrics_have_their_score(score: Score) -> None:
    metrics = score(*ALL, MetricName.CONTEXT_UTILISATION, judge_url="", judge_model="")
    assert metrics["context_utilisation"].score is not None
    for name in ALL:
        assert (metrics[name].score, metrics[name].status) == (None, Status.ERROR)
        error = metrics[name].error
        assert error is not None
        assert error.code == "judge_not_configured"
        assert "set GROUNDWIRE_JUDGE_URL and GROUNDWIRE_JUDGE_MODEL, or choose another profile" in error.message


def test_no_log_line_holds_what_is_asked_or_answered_or_the_key(
    server: JudgeServer, score: Score, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer(JudgeStep.QUESTIONS, Answer("Vardal", status=500))
    server.answer(JudgeStep.RELEVANCE, "Vardal is not JSON")
    metrics = score(*ALL, judge_api_key=SECRET, judge_retries=1)
    assert {metric.status for metric in metrics.values()} == {Status.SUCCESS, Status.ERROR}
    assert not [text for text in (*WRITTEN, SECRET) if text in caplog.text]
    assert not [text for text in WRITTEN for metric in metrics.values() if metric.error and text in str(metric.error)]


@pytest.mark.parametrize("key", ["", SECRET])
def test_the_endpoint_gets_its_own_key_and_nothing_from_the_variables_of_other_programs(
    server: JudgeServer, score: Score, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "another-program")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: another-program")
    assert score(MetricName.FAITHFULNESS, judge_api_key=key)["faithfulness"].score is not None
    for asked in server.asked:
        assert asked.headers.get("authorization") == (f"Bearer {key}" if key else None)
        assert "another-program" not in str(asked.headers)


def test_results_without_texts_hold_nothing_that_the_judge_wrote(server: JudgeServer, score: Score) -> None:
    metrics = score(*ALL)
    assert "Vardal" in result_of(metrics).model_dump_json()
    result = without_texts(result_of(metrics))
    assert not [text for text in WRITTEN if text in result.model_dump_json()]
    assert result.metrics["faithfulness"].reason == "The judge denied 1 of the answer's 3 claims: claim 2."
    assert [metric.score for metric in result.metrics.values()] == [metric.score for metric in metrics.values()]

    server.answer(JudgeStep.REASON, "fifty boats")
    failed = without_texts(result_of(score(*ALL)))
    assert failed.metrics["faithfulness"].status is Status.ERROR
    assert not [text for text in WRITTEN if text in failed.model_dump_json()]


def test_a_long_response_is_kept_in_part_and_goes_first_where_a_result_is_too_large(
    server: JudgeServer, score: Score
) -> None:
    server.answer(JudgeStep.TRUTHS, {"truths": ["The harbour was dug by hand.", "x" * 30_000]})
    result = result_of(score(MetricName.FAITHFULNESS))
    details: Any = result.metrics["faithfulness"].details
    raw = details.judge.steps[0]
    assert (len(raw.raw), raw.raw_chars > 30_000) == (20_000, True)
    size = len(result.model_dump_json().encode())
    smaller = fit(result, size - 1)
    assert smaller.warnings == (f"the result exceeded {size - 1:,} bytes; dropped: responses of the judge",)
    details = smaller.metrics["faithfulness"].details
    assert {one.raw for one in details.judge.steps} == {None}
    assert len(details.claims) == 3


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({"URL": "http://127.0.0.1:9/v1"}, "GROUNDWIRE_JUDGE_URL is set and GROUNDWIRE_JUDGE_MODEL is not"),
        ({"MODEL": "m1"}, "GROUNDWIRE_JUDGE_MODEL is set and GROUNDWIRE_JUDGE_URL is not"),
        ({"URL": f"https://me:{SECRET}@host/v1", "MODEL": "m1"}, "GROUNDWIRE_JUDGE_URL: is not such a URL"),
        ({"URL": f"host/v1?key={SECRET}", "MODEL": "m1"}, "GROUNDWIRE_JUDGE_URL: is not such a URL"),
        (
            {"URL": "http://127.0.0.1:9/v1", "MODEL": "m1", "BUDGET_S": "300"},
            "GROUNDWIRE_JUDGE_BUDGET_S=300: is not below GROUNDWIRE_JOB_TIMEOUT_S=300",
        ),
        ({"API_KEY": f"{SECRET}\n"}, "GROUNDWIRE_JUDGE_API_KEY: has a character that no key has"),
        ({"API_KEY": SECRET, "CONCURRENCY": "4"}, "GROUNDWIRE_JUDGE_CONCURRENCY=4"),
    ],
)
def test_settings_that_can_not_be_used_are_named_and_no_secret_is_shown(
    environment: dict[str, str], problem: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        configured_judge(
            WorkerSettings.from_env({f"GROUNDWIRE_JUDGE_{name}": value for name, value in environment.items()})
        )
    assert str(raised.value).startswith(problem)
    assert SECRET not in str(raised.value)


def test_a_judge_without_its_package_is_named_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "groundwire.worker.judge.openai_judge", raising=False)
    with pytest.raises(SettingsError, match=r"needs the package openai, .* pip install 'groundwire\[judge\]'"):
        configured_judge(WorkerSettings(judge_url="http://127.0.0.1:9/v1", judge_model="m1"))


def test_the_key_is_not_shown_with_the_settings() -> None:
    settings = WorkerSettings.from_env({"GROUNDWIRE_JUDGE_API_KEY": SECRET})
    assert SECRET not in repr(settings) + str(settings)
    assert settings.judge_api_key.get_secret_value() == SECRET
