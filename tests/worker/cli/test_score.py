"""`groundwire score` with the real model; loading it takes seconds, so each run checks as much as it can."""

from __future__ import annotations

import json
import signal
import sys
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]
    WriteJobs = Callable[..., Path]

MARKER = "QUOKKA"
"""Stands in the texts of bad lines, and must not turn up in an error."""

EIFFEL = {
    "v": 1,
    "rag_context": "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel.",
    "response_text": "The Eiffel Tower is in Paris. It was built in 1889.",
    "completion_tokens": 14,
}
WRONG = EIFFEL | {"response_text": "The Eiffel Tower is in London. It was built in 1989."}
HEBREW = {
    "response_text": "מגדל אייפל נמצא בעיר פריז. הוא נבנה בשנת 1889 לקראת התערוכה העולמית.",
    "rag_context": "מגדל אייפל נמצא בעיר פריז שבצרפת. הוא נבנה בשנת 1889 לקראת התערוכה העולמית.",
    "completion_tokens": 30,
}
BIG = 10 * 1024 * 1024

BAD_LINES: list[tuple[str, Any, str]] = [
    ("not JSON", b'{"trace_id": "QUOKKA"', "payload"),
    ("not an object", b'["QUOKKA"]', "payload"),
    ("not UTF-8", b'{"trace_id":"t1","span_id":"s1","response_text":"QUOKKA \xff"}', "payload"),
    ("NaN", b'{"trace_id":"t1","span_id":"s1","response_text":"QUOKKA","thresholds":{"faithfulness":NaN}}', "payload"),
    ("wrong type", {"response_text": [MARKER]}, "response_text"),
    ("wrong type inside", {"rag_context": None, "contexts": [{"text": MARKER}, {"text": 7}]}, "contexts[1].text"),
    ("no trace", b'{"span_id":"s1","response_text":"QUOKKA"}', "trace_id"),
    ("10 MiB", b'{"response_text":"' + b"QUOKKA " * (BIG // 7) + b'"}', "payload"),
    ("long answer", {"response_text": "QUOKKA " * 15_000}, "response_text"),
    ("5,000 chunks", {"rag_context": None, "contexts": ["QUOKKA"] * 5_000}, "contexts"),
    ("lone surrogate", b'{"trace_id":"t1","span_id":"s1","response_text":"QUOKKA \\ud800"}', "response_text"),
    ("NUL", b'{"trace_id":"t1","span_id":"s1","response_text":"QUOKKA \\u0000"}', "response_text"),
    ("unknown metric", {"metrics": ["faithfulness", "truth"]}, "metrics[1]"),
    ("unknown field", {"rag_contxt": MARKER}, "rag_contxt"),
    ("another version", {"v": 2}, "v"),
    ("deep nesting", b'{"a":' * 10_000, "payload"),
]


def refuse_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} in the output")


def read_results(output: str) -> list[dict[str, Any]]:
    return [json.loads(line, parse_constant=refuse_constant) for line in output.splitlines()]


def faithfulness(result: dict[str, Any]) -> dict[str, Any]:
    metric: dict[str, Any] = result["metrics"]["faithfulness"]
    return metric


def test_every_kind_of_bad_line_is_named_and_the_good_ones_are_scored(run: Run, write_jobs: WriteJobs) -> None:
    bad = [line for _, line, _ in BAD_LINES]
    code, out, err = run("score", write_jobs(EIFFEL | {"job_id": "first"}, *bad, HEBREW | {"job_id": "last"}))
    assert code == 2
    results = read_results(out)
    assert [result["job_id"] for result in results] == ["first", "last"]
    assert [faithfulness(result)["total_qualifying"] for result in results] == [2, 2]
    errors = err.splitlines()
    expected = [f"line {number}: {field}: " for number, (_, _, field) in enumerate(BAD_LINES, 2)]
    assert [error[: len(start)] for error, start in zip(errors, expected, strict=True)] == expected
    assert MARKER not in err
    assert "Traceback" not in err


@pytest.mark.parametrize("profile", ["evidence", "original"])
def test_the_eiffel_tower(profile: str, run: Run, write_jobs: WriteJobs) -> None:
    other = "original" if profile == "evidence" else "evidence"
    jobs = write_jobs(EIFFEL | {"profile": other}, WRONG)
    code, out, err = run("score", jobs, "--profile", profile, "--metrics", "faithfulness", "--threads", "1")
    assert (code, err) == (0, "")
    right, wrong = read_results(out)
    assert faithfulness(right)["score"] == 1.0
    assert (faithfulness(right)["total_qualifying"], faithfulness(right)["entailed_count"]) == (2, 2)
    assert (faithfulness(wrong)["score"], faithfulness(wrong)["contradicted_count"]) == (0.0, 2)
    for result in (right, wrong):
        assert result["scorer"]["profile"] == profile
        assert len(result["scorer"]["model_sha256"]) == len(result["scorer"]["config_hash"]) == 64
        assert result["timing"]["queued_ms"] is None
        assert result["evaluated_at"].endswith("Z")


def test_exhaustive_asks_for_more_pairs_and_gives_the_same_labels(run: Run, write_jobs: WriteJobs) -> None:
    context = "The harbour was dug in 1870 by hand. It holds forty fishing boats in winter."
    answer = "The harbour holds forty fishing boats in winter."  # the second sentence entails it, the first adds a word
    jobs = write_jobs(EIFFEL | {"rag_context": context, "response_text": answer})
    early, exhaustive = (
        read_results(run("score", jobs, "--metrics", "faithfulness", *flag)[1])[0] for flag in ((), ("--exhaustive",))
    )
    assert [one["label"] for one in faithfulness(early)["sentence_results"]] == ["entailment"]
    assert faithfulness(early)["score"] == faithfulness(exhaustive)["score"]
    assert early["timing"]["pairs"] < exhaustive["timing"]["pairs"] == 2
    assert early["scorer"]["config_hash"] != exhaustive["scorer"]["config_hash"]


def test_only_bad_lines_and_no_lines_need_no_model(run: Run, write_jobs: WriteJobs) -> None:
    code, out, err = run("score", write_jobs(b"{"))
    assert (code, out) == (2, "")
    assert err.startswith("line 1: payload: ")
    assert run("score", "/dev/null") == (0, "", "")


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"[1]\n")))
    assert run("score")[2] == "line 1: payload: is a list; a job is an object\n"


def test_a_file_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "missing", "No such file"), (tmp_path, "Is a directory")):
        code, out, err = run("score", path)
        assert (code, out) == (2, "")
        assert err.startswith(f"groundwire: error: {path}: {reason}")
        assert err.count("\n") == 1


def test_a_setting_that_cannot_be_used(run: Run) -> None:
    code, out, err = run("score", "/dev/null", "--threads", "many")
    assert (code, out) == (2, "")
    assert "GROUNDWIRE_THREADS=many" in err
    assert err.count("\n") == 1


def test_ctrl_c_ends_it_without_a_traceback(start: Callable[..., Any]) -> None:
    scoring = start("score")
    scoring.stdin.write(b"{\n")
    assert scoring.stderr.readline().startswith(b"line 1: payload: ")
    scoring.process.send_signal(signal.SIGINT)
    assert scoring.end() == (130, b"")


def test_a_reader_that_goes_away_is_no_error(start: Callable[..., Any]) -> None:
    printing = start("schema")
    printing.stdout.close()
    assert printing.end() == (141, b"")
