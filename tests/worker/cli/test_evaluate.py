"""`groundwire evaluate` with the real model on a small labelled set; each run checks as much as it can."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.worker.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

HARBOUR = "The harbour at Holm was dug by hand in 1870. It holds forty fishing boats in winter."
PLANS = ["The Starter plan costs 19 euros a month.", "The Team plan costs 79 euros a month and has 15 seats."]
MUSEUM = "The museum is open from Tuesday to Sunday. Admission is free for children under six."
MARKER = "QUOKKA"

ROWS: list[tuple[str, Any, str, bool]] = [
    ("town", HARBOUR, "The harbour at Holm was dug by hand.", True),
    ("town", HARBOUR, "Forty fishing boats lie there in winter. It was dug in 1870.", True),
    ("town", HARBOUR, "The harbour was dug in 1970.", False),
    ("town", HARBOUR, "The harbour was dug by hand. It has a lighthouse that was built in 1901.", False),
    ("shop", PLANS, "The Team plan has 15 seats.", True),
    ("shop", PLANS, "The Starter plan costs 19 euros a month.", True),
    ("shop", PLANS, "The Starter plan costs 79 euros a month.", False),
    ("shop", PLANS, "The Team plan has no seats at all.", False),
    ("museum", MUSEUM, "Children under six pay nothing.", True),
    ("museum", MUSEUM, "It is open on Sundays.", True),
    ("museum", MUSEUM, "The director of the museum was born in Bergen.", False),
    ("museum", None, "It is open on Mondays.", False),
]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": f"row-{number}", "source": source, "context": context, "response": answer, "supported": supported}
        for number, (source, context, answer, supported) in enumerate(ROWS, 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read_report(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    return report


def test_a_labelled_file_is_measured_and_reported(run: Run, labelled: Path, tmp_path: Path) -> None:
    code, out, err = run("evaluate", labelled, "--labels", "supported", "--output", tmp_path / "out", "--processes", 1)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == f"Everything about them: {tmp_path / 'out' / 'report.md'}"
    assert "answers: 1 row had nothing to score and counts as not supported, value 0: rag_context_null 1." in out
    for source in ("town", "shop", "museum"):
        assert f"\n {source} " in out
    report = read_report(tmp_path / "out")
    [dataset] = report["datasets"]
    figures = dataset["figures"]
    assert (figures["rows"], figures["supported"], figures["nothing_to_score"]) == (12, 6, {"rag_context_null": 1})
    assert figures["roc_auc"] >= 0.9
    assert figures["shipped"]["balanced_accuracy"] >= 0.75
    assert figures["best"]["balanced_accuracy"] >= figures["shipped"]["balanced_accuracy"]
    assert report["scorer"]["profile"] == "evidence"
    # two sentences, of which the second is made up, decide together by the weaker one
    made_up = dataset["rows"][3]
    assert made_up["value"] == min(sentence["entailment_prob"] for sentence in made_up["sentences"])
    assert [sentence["sentence"] for sentence in made_up["sentences"]] == [None, None]

    # the same figures to the last digit over two processes, and the texts where they are asked for
    again = tmp_path / "again"
    code, _, err = run(
        "evaluate", labelled, "--labels", "supported", "--output", again, "--processes", 2, "--texts", "--seed", 5
    )
    assert (code, err) == (0, "")
    repeated = read_report(again)["datasets"][0]
    assert repeated["figures"] == figures
    assert [row["value"] for row in repeated["rows"]] == [row["value"] for row in dataset["rows"]]
    assert [row["id"] for row in repeated["rows"]] == [f"row-{number}" for number in range(1, 13)]
    assert repeated["rows"][0]["sentences"][0]["sentence"] == "The harbour at Holm was dug by hand."


def test_a_row_that_cannot_be_scored_is_named_and_the_others_are_measured(
    run: Run, tmp_path: Path, labelled: Path
) -> None:
    context = " ".join(f"Boat {number} lies in the harbour." for number in range(20_000))
    answer = " ".join(f"Boat {number} has left." for number in range(30))
    endless = {"id": "endless", "context": context, "response": answer, "supported": True}
    with labelled.open("a") as file:
        file.write(json.dumps(endless) + "\n")
    words = ("evaluate", labelled, "--labels", "supported", "--profile", "original", "--processes", 1)
    code, out, err = run(*words, "--output", tmp_path / "out", "--no-texts")
    assert (code, err) == (3, "")
    assert "answers: 1 row could not be scored and is in no figure: endless (" in out
    report = read_report(tmp_path / "out")
    assert report["scorer"]["profile"] == "original"
    assert report["datasets"][0]["figures"]["rows"] == 12
    assert report["datasets"][0]["rows"][12]["value"] is None
    assert "harbour" not in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_a_fault_in_any_file_is_found_before_anything_is_scored(run: Run, labelled: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({"context": MARKER, "response": MARKER, "supported": "perhaps"}) + "\n")
    code, out, err = run("evaluate", labelled, bad, "--labels", "supported")
    assert (code, out) == (2, "")
    assert err.startswith(f"groundwire: error: {bad}, line 1: supported: is 'perhaps'; a label is true or false")
    assert err.count("\n") == 1
    assert MARKER not in err


def test_a_model_that_is_not_there_is_one_line(run: Run, labelled: Path) -> None:
    for processes in (1, 2):
        words = ("evaluate", labelled, "--labels", "supported", "--model", "./nosuch", "--processes", processes)
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert err.startswith("groundwire: error: model './nosuch'")
        assert err.count("\n") == 1


def test_an_output_that_is_no_folder_is_found_before_anything_is_scored(run: Run, labelled: Path) -> None:
    code, out, err = run("evaluate", labelled, "--labels", "supported", "--output", labelled)
    assert (code, out) == (2, "")
    assert err.startswith(f"groundwire: error: --output {labelled}: File exists")


def test_without_matplotlib_only_a_report_is_refused(
    monkeypatch: pytest.MonkeyPatch, labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("groundwire.worker.evaluate.output", "groundwire.worker.evaluate.plots"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["evaluate", str(labelled), "--labels", "supported", "--output", "out"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("groundwire: error: --output needs the package matplotlib, which is not installed")
    assert "pip install 'groundwire[evaluate]'" in shown
