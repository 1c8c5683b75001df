from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import ProfileName
from groundwire.worker.cli.evaluate_arguments import DEFAULT_TOLERANCE
from groundwire.worker.evaluate.scoring_pool import Outcome
from groundwire.worker.gate.checks import Demands
from groundwire.worker.gate.report import GateReport, make_report
from groundwire.worker.gate.rows import read_answers
from groundwire.worker.gate.scored import ScoredSet
from groundwire.worker.scorer import JobScorer, ModelIdentity
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groundwire.worker.gate.rows import AnswerSet
    from groundwire.worker.scoring.ports import Ports


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., AnswerSet]:
    """Read rows, or lines as they are, as a file of answers."""

    def read_them(rows: Sequence[dict[str, Any] | str], **options: Any) -> AnswerSet:
        path = tmp_path / "answers.jsonl"
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines))
        return read_answers(str(path), options.get("metrics"), ProfileName.EVIDENCE)

    return read_them


@pytest.fixture(scope="session")
def score_once(real_ports: Ports) -> Callable[[AnswerSet], ScoredSet]:
    """Score rows with the real models; a row that was scored in this session is not scored again."""
    identity = ModelIdentity("embedded", "ab" * 32)
    scorer = JobScorer(real_ports, identity, WorkerSettings.from_env({}))
    known: dict[str, Outcome] = {}

    def score(answers: AnswerSet) -> ScoredSet:
        for row in answers.rows:
            key = row.job.content_hash
            if key not in known:
                known[key] = Outcome(scorer.score(row.job))
        return ScoredSet.of(answers, [known[row.job.content_hash] for row in answers.rows])

    return score


def held(
    scored: ScoredSet,
    baseline: GateReport | None = None,
    minimum: dict[str, float] | None = None,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
    seed: int = 0,
) -> GateReport:
    """The report on a scored set."""
    return make_report(scored, Demands(minimum or {}, baseline, tolerance), sample=None, seed=seed)
