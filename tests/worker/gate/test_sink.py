"""The sink: the same records as JSONL and as Parquet."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from groundwire.schemas import SettingsError
from groundwire.worker.gate.sink import Sink
from tests.worker.gate.conftest import held
from tests.worker.gate.made_scores import ERROR, SKIP, made_set

if TYPE_CHECKING:
    from pathlib import Path


def test_both_forms_hold_a_record_for_each_row_and_metric(tmp_path: Path) -> None:
    report = held(made_set({"faithfulness": [0.5, SKIP, ERROR], "groundedness": [1.0, 0.25, 0.75]}))
    for name in ("scores.jsonl", "scores.parquet"):
        Sink(str(tmp_path / name)).write(report)
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 6
    assert pq.read_table(tmp_path / "scores.parquet").to_pylist() == lines
    assert lines[0] == {
        "evaluated_at": report.evaluated_at,
        "dataset": "my set",
        "row_id": "r0",
        "line": 1,
        "metric": "faithfulness",
        "score": 0.5,
        "status": "success",
        "skip_reason": None,
        "problem": None,
        "verdict": "incomplete",
        "groundwire_version": "0",
        "profile": "evidence",
        "config_hash": "ab" * 32,
        "model_id": "fake_model",
        "model_sha256": "cd" * 32,
    }
    assert (lines[2]["score"], lines[2]["status"], lines[2]["skip_reason"]) == (None, "skipped", "abstention")
    assert (lines[4]["score"], lines[4]["status"], lines[4]["problem"]) == (None, "error", "it would take hours")


def test_a_parquet_file_without_a_single_score_has_the_same_columns(tmp_path: Path) -> None:
    for name, score in (("some.parquet", 0.5), ("none.parquet", SKIP)):
        Sink(str(tmp_path / name)).write(held(made_set({"faithfulness": [score]})))
    some, none = (pq.read_schema(tmp_path / name) for name in ("some.parquet", "none.parquet"))
    assert some == none


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("scores.csv", "ends with neither .jsonl nor .parquet"),
        ("nosuch/scores.jsonl", "its folder is not there"),
        ("folder.jsonl", "is a folder"),
    ],
)
def test_a_file_that_cannot_be_written_is_found_before_the_work(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(SettingsError, match=problem):
        Sink(str(tmp_path / name))


@pytest.mark.parametrize("name", ["scores.jsonl", "scores.parquet"])
def test_a_file_that_cannot_be_written_after_all_is_named(tmp_path: Path, name: str) -> None:
    sink = Sink(str(tmp_path / name))
    (tmp_path / name).mkdir()
    with pytest.raises(SettingsError, match=f"--sink .*{name}: .*; make room, or name another file"):
        sink.write(held(made_set({"faithfulness": [0.5]})))


def test_without_pyarrow_parquet_alone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SettingsError, match=r"install it with: pip install 'groundwire\[warehouse\]', or name a file"):
        Sink(str(tmp_path / "scores.parquet"))
    Sink(str(tmp_path / "scores.jsonl"))
