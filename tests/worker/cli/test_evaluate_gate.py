"""`groundwire evaluate` without labels, with the real models on a few rows; each run checks as much as it can."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.worker.gate.conftest import held
from tests.worker.gate.made_scores import made_set
from tests.worker.gate.shipped_answers import good_answers, spoil

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

MARKER = "QUOKKA"
SIZE = 20


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def short_rows() -> list[dict[str, Any]]:
    """Good answers, each with the one document that it is about: what is scored in vain takes the most time."""
    return [row | {"contexts": row["contexts"][1:2]} for row in good_answers()[:SIZE]]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return write(tmp_path / "answers.jsonl", short_rows())


def test_a_release_passes_against_itself_and_fails_with_one_answer_in_twenty_spoiled(
    run: Run, answers: Path, tmp_path: Path
) -> None:
    first, again, worse = (tmp_path / name for name in ("first", "again", "worse"))
    slo = tmp_path / "slo.toml"
    slo.write_text("[minimum]\nfaithfulness = 0.5\ntriad = 0.2\n")
    sink = tmp_path / "scores.jsonl"
    code, out, err = run("evaluate", answers, "--output", first, "--slo", slo, "--processes", 1, "--sink", sink)
    assert (code, err) == (0, "")
    assert f"answers: passed (2 checks: 2 passed, 0 failed; {SIZE} rows)" in out.splitlines()
    assert out.splitlines()[-1] == f"Everything about them: {first / 'report.html'}"
    report = json.loads((first / "report.json").read_text("utf-8"))
    assert report["metrics"]["faithfulness"]["scored"] == SIZE
    assert len(sink.read_text("utf-8").splitlines()) == SIZE * 6

    # rows in another order, another seed, another number of processes
    turned = write(tmp_path / "turned.jsonl", short_rows()[::-1])
    words = ("evaluate", turned, "--baseline", first / "report.json", "--tolerance", 0, "--seed", 5, "--processes", 2)
    code, out, err = run(*words, "--output", again)
    assert (code, err) == (0, "")
    assert "turned: passed (6 checks: 6 passed, 0 failed; 20 rows)" in out.splitlines()

    spoiled = write(tmp_path / "spoiled.jsonl", spoil(short_rows(), "swapped", 0.05, 0))
    words = ("evaluate", spoiled, "--baseline", first / "report.json", "--processes", 1)
    code, out, err = run(*words, "--metrics", "faithfulness,faithfulness", "--output", worse)
    assert (code, err) == (1, "")
    assert "(1 fell, 0 rose)" in out
    assert 'failures="1"' in (worse / "junit.xml").read_text("utf-8")


def test_a_sample_is_the_same_rows_each_time_and_missing_scores_do_not_pass(
    run: Run, answers: Path, tmp_path: Path
) -> None:
    slo = tmp_path / "slo.toml"
    slo.write_text("[minimum]\ncompleteness = 0.1\n")
    words = ("evaluate", answers, "--metrics", "completeness", "--sample", 3, "--seed", 4, "--processes", 1)
    drawn = []
    for name in ("one", "two"):
        code, out, err = run(*words, "--slo", slo, "--output", tmp_path / name)
        assert (code, err) == (3, "")
        assert "completeness has nothing to score in 3 of 3 rows: reference_missing 3." in out
        report = json.loads((tmp_path / name / "report.json").read_text("utf-8"))
        drawn.append([row["id"] for row in report["rows"]])
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 3


def test_a_row_in_error_makes_it_incomplete(run: Run, tmp_path: Path) -> None:
    context = " ".join(f"Boat {number} lies in the harbour." for number in range(20_000))
    endless = {"id": "endless", "context": context, "answer": " ".join(f"Boat {n} has left it now." for n in range(30))}
    path = write(tmp_path / "answers.jsonl", [*short_rows()[:2], endless])
    words = ("evaluate", path, "--metrics", "faithfulness", "--profile", "original", "--processes", 1)
    code, out, err = run(*words, "--output", tmp_path / "out")
    assert (code, err) == (3, "")
    assert "1 row could not be scored: line 3 (" in out
    assert "answers: incomplete (no checks were asked for; 3 rows)" in out
    assert "harbour" not in out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--slo", "nosuch.toml"), "--slo nosuch.toml: No such file or directory"),
        (("--baseline", "nosuch.json"), "--baseline nosuch.json: No such file or directory"),
        (("--slo", ""), "--slo: is empty; name a TOML file, or leave the flag out"),
        (("--baseline", ""), "--baseline: is empty; name the report.json of an earlier run, or leave the flag out"),
        (("--output", ""), "--output: is empty; name a folder that can be written to"),
        (("--sink", "scores.csv"), "--sink scores.csv: ends with neither .jsonl nor .parquet"),
        (("--tolerance", "1.5"), "argument --tolerance: '1.5' is no number from 0 to 1"),
        (("--texts",), "--texts goes with --labels"),
        (("--timeout", "5"), "--timeout goes with --via-queue"),
        (("--via-queue", "--model", "embedded"), "--model goes without --via-queue"),
        (("--via-queue", "--processes", "1"), "--processes goes without --via-queue"),
        (("answers.jsonl",), "2 files and no --labels: a gate takes one file"),
        (("--labels", "supported", "--slo", "slo.toml"), "--slo goes without --labels"),
        (("--labels", "supported", "--via-queue"), "--via-queue goes without --labels"),
        (("--via-queue", "--redis-url", "redis://127.0.0.1:1/0"), "no answer from the Redis server"),
    ],
)
def test_what_cannot_be_used_is_found_before_anything_is_scored(
    run: Run, answers: Path, words: tuple[str, ...], problem: str
) -> None:
    code, out, err = run("evaluate", answers, *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"groundwire: error: {problem}")
    assert err.count("\n") == 1


def test_a_row_that_cannot_be_used_is_named_and_not_quoted(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "bad.jsonl", [{"query": MARKER, "contexts": [MARKER]}])
    code, out, err = run("evaluate", path)
    assert (code, out) == (2, "")
    assert err == (
        f"groundwire: error: {path}, line 1: response: is missing; it may be called response_text or answer too\n"
    )


def test_references_that_are_gone_take_no_check_with_them(run: Run, answers: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    baseline.write_text(held(made_set({"completeness": [0.8]})).model_dump_json())
    code, out, err = run("evaluate", answers, "--sample", 1, "--baseline", baseline, "--processes", 1)
    assert (code, err) == (3, "")
    assert "drop of completeness at most 0.02" in out


def test_a_hook_that_is_not_there_is_said_and_the_exit_code_stays_that_of_the_gate(
    run: Run, answers: Path, tmp_path: Path
) -> None:
    slo = tmp_path / "slo.toml"
    slo.write_text("[minimum]\nfaithfulness = 1\n[on_regression]\nwebhook = 'http://127.0.0.1:1/hook'\n")
    code, out, err = run("evaluate", answers, "--metrics", "faithfulness", "--slo", slo, "--processes", 1)
    assert code == 1
    assert "is below the minimum of 1" in out
    assert err.startswith("groundwire: error: on_regression.webhook: 127.0.0.1 could not be told")
