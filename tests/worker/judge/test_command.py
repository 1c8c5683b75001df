"""`groundwire score` and `groundwire evaluate` with a judge, from the command line to the endpoint and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import JudgeStep
from groundwire.worker.cli import main
from tests.worker.judge.conftest import CLAIMS, job_fields, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.worker.judge.judge_server import JudgeServer

ASKED = ["faithfulness", "groundedness", "context_precision", "answer_relevance"]


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.jsonl"
    path.write_text((json.dumps(job_fields() | {"metrics": ASKED}) + "\n") * 2)
    return path


@pytest.fixture
def configured(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWIRE_JUDGE_URL", server.url)
    monkeypatch.setenv("GROUNDWIRE_JUDGE_MODEL", "m1")


@pytest.mark.usefixtures("configured")
def test_score_takes_judged_and_other_metrics_into_one_composite(
    jobs: Path, server: JudgeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer(JudgeStep.CLAIMS, CLAIMS, "rubbish")
    assert main(["score", str(jobs)]) == 1
    result, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    metrics = result["metrics"]
    assert list(metrics) == ASKED
    assert metrics["faithfulness"]["score"] == pytest.approx(2 / 3)
    assert metrics["faithfulness"]["details"]["judge"]["model"] == "m1"
    assert metrics["context_precision"]["score"] == 0.5
    # by the embedded embedder: one of the questions is the query itself
    similar = [one["similarity"] for one in metrics["answer_relevance"]["details"]["questions"]]
    assert similar[0] == pytest.approx(1.0, abs=1e-3)
    assert similar[0] > similar[1] > similar[2]
    assert metrics["answer_relevance"]["score"] == pytest.approx(sum(similar) / 3, abs=1e-5)
    assert result["scorer"]["profile"] == "judge"
    weights = {"faithfulness": 0.4, "groundedness": 0.2, "answer_relevance": 0.15, "context_precision": 0.1}
    parts = sum(weight * metrics[name]["score"] for name, weight in weights.items())
    assert result["composite"]["score"] == pytest.approx(parts / 0.85)
    assert result["composite"]["coverage"] == pytest.approx(0.85)

    # what the judge can't score is missing from the composite
    assert second["metrics"]["faithfulness"]["error"]["code"] == "judge_malformed"
    assert second["composite"]["coverage"] == pytest.approx(0.45)


@pytest.mark.usefixtures("configured")
def test_a_release_is_incomplete_where_the_judge_gave_no_score_and_labels_need_probabilities(
    tmp_path: Path, server: JudgeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = job_fields()
    row: dict[str, Any] = {
        "query": fields["query"], "contexts": fields["contexts"], "answer": fields["response_text"], "supported": False
    }  # fmt: skip
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row | {"id": name}) + "\n" for name in "ab"))
    server.answer(JudgeStep.VERDICTS, verdicts("yes", "no", "idk"), {"verdicts": []})
    words = ["evaluate", str(path), "--profile", "judge"]
    gate = [*words, "--metrics", "faithfulness", "--processes", "1", "--output", str(tmp_path / "out")]
    assert main(gate) == 3
    rows = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["rows"]
    assert len(server.asked) == 4 + 3
    assert "step verdicts: the judge gave no verdicts" in json.dumps(rows)
    capsys.readouterr()
    assert main([*words, "--labels", "supported"]) == 2
    assert "--profile judge goes without --labels" in capsys.readouterr().err
