"""What a reader of a report should know beside its figures, in sentences without any text of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.worker.gate.report import GateReport
    from groundwire.worker.gate.scored import ScoredSet

NAMED_ROWS = 5
"""Rows in error that are named; the rest is counted."""


def notes_on(scored: ScoredSet, baseline: GateReport | None) -> tuple[str, ...]:
    """Name the rows in error, the skipped ones by their reasons, and those that only one of two releases has."""
    return (*_errors(scored), *_skips(scored), *_unpaired(scored, baseline))


def _errors(scored: ScoredSet) -> Iterator[str]:
    failed = scored.rows_in_error
    if not failed:
        return
    named = []
    for one in failed[:NAMED_ROWS]:
        problems = (one.problem(name) for name in scored.answers.metrics)
        named.append(f"line {one.row.line} ({next(problem for problem in problems if problem is not None)})")
    more = f" and {len(failed) - NAMED_ROWS:,} more" if len(failed) > NAMED_ROWS else ""
    yield f"{_rows(len(failed))} could not be scored: {', '.join(named)}{more}."


def _skips(scored: ScoredSet) -> Iterator[str]:
    for name in scored.answers.metrics:
        skipped = scored.skips(name)
        if skipped:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in skipped.items())
            yield f"{name} has nothing to score in {sum(skipped.values()):,} of {_rows(len(scored.scored))}: {reasons}."


def _unpaired(scored: ScoredSet, baseline: GateReport | None) -> Iterator[str]:
    if baseline is None:
        return
    left_out = [name for name in baseline.metrics if baseline.has_scores(name) and name not in scored.answers.metrics]
    if left_out:
        yield f"Of the baseline {', '.join(left_out)} {'is' if len(left_out) == 1 else 'are'} not computed here."
    then, now = {row.id for row in baseline.rows}, {one.row.id for one in scored.scored}
    if then - now:
        yield f"{_rows(len(then - now))} of the baseline's {len(then):,} are not scored here, and are not compared."
    if now - then:
        yield f"{_rows(len(now - then))} of {len(now):,} are not in the baseline, and are not compared."


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"
