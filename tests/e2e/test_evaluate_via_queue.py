"""`groundwire evaluate --via-queue`: real workers give the scores that this machine gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groundwire.worker.cli import main
from tests.worker.gate.shipped_answers import good_answers

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.e2e.conftest import System


def test_workers_score_a_set_and_one_that_is_too_large_for_them_is_an_error(
    system: System, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = system.server.connection_pool.connection_kwargs
    monkeypatch.setenv("GROUNDWIRE_REDIS_URL", f"redis://:{system.password}@{place['host']}:{place['port']}/0")
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in good_answers()[:6]))

    def report(*words: str) -> dict[str, Any]:
        assert main(["evaluate", str(path), "--output", str(tmp_path / "out"), *words]) == 0, capsys.readouterr().err
        found: dict[str, Any] = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
        return found

    # twice, as a second run must not be answered with the results of the first
    runs = [report("--via-queue"), report("--via-queue")]
    here = report("--processes", "1")
    assert runs[0]["rows"] == runs[1]["rows"] == here["rows"]
    assert runs[0]["scorer"] == here["scorer"]
    traces = {fields[b"trace_id"] for _, fields in system.server.xrange(system.keys.results)}
    assert len({trace for trace in traces if trace.startswith(b"evaluate-")}) == 12

    large = {"id": "large", "query": "How?", "contexts": ["It is so. " * 200_000], "answer": "So it is, I think."}
    path.write_text(path.read_text() + json.dumps(large) + "\n")
    capsys.readouterr()
    assert main(["evaluate", str(path), "--via-queue", "--metrics", "faithfulness"]) == 3
    assert "1 row could not be scored: line 7 (payload: " in capsys.readouterr().out
