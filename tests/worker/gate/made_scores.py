"""Scored sets out of written scores, for what is computed from scores and shown of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import Job, MetricError, MetricName, MetricResult, Result, Scorer, SkipReason, Status, Timing
from groundwire.worker.evaluate.scoring_pool import Outcome
from groundwire.worker.gate.rows import AnswerRow, AnswerSet
from groundwire.worker.gate.scored import ScoredSet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCORER = Scorer(version="0", profile="evidence", config_hash="ab" * 32, model_id="fake_model", model_sha256="cd" * 32)
SKIP, ERROR = "skip", "error"


def made_set(scores: Mapping[str, Sequence[float | str]], *, ids: Sequence[str] | None = None) -> ScoredSet:
    """A set with these scores by metric, a score for each row; `skip` and `error` stand for themselves."""
    names = tuple(MetricName(name) for name in scores)
    columns = list(scores.values())
    rows = [made_row(number, ids[number] if ids else f"r{number}") for number in range(len(columns[0]))]
    outcomes = [
        Outcome(_result(row, {str(name): column[at] for name, column in zip(names, columns, strict=True)}))
        for at, row in enumerate(rows)
    ]
    return ScoredSet.of(
        AnswerSet("folder/my set.jsonl.gz", frozenset(row.id for row in rows), tuple(rows), names), outcomes
    )


def made_row(number: int, row_id: str) -> AnswerRow:
    job = Job(trace_id=f"line-{number + 1}", span_id="s", response_text="An answer.", rag_context="A context.")
    return AnswerRow(number + 1, row_id, job)


def _result(row: AnswerRow, scores: Mapping[str, float | str]) -> Result:
    return Result(
        job_id=row.job.id,
        trace_id=row.job.trace_id,
        span_id=row.job.span_id,
        metrics={name: _metric(score) for name, score in scores.items()},
        scorer=SCORER,
        timing=Timing(),
        evaluated_at="2026-01-01T00:00:00.000Z",
    )


def _metric(score: float | str) -> MetricResult:
    if score == SKIP:
        return MetricResult(score=None, status=Status.SKIPPED, skip_reason=SkipReason.ABSTENTION)
    if score == ERROR:
        error = MetricError(code="too_large", message="it would take hours")
        return MetricResult(score=None, status=Status.ERROR, error=error)
    return MetricResult(score=float(score), status=Status.SUCCESS)
