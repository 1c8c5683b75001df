"""Figures of a report in words and cells, the same on a terminal, in Markdown, on the page and in a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.worker.gate.checks import CheckKind, Outcome
from groundwire.worker.gate.scored import TRIAD_NAME

if TYPE_CHECKING:
    from groundwire.worker.gate.checks import Check
    from groundwire.worker.gate.report import GateReport
    from groundwire.worker.gate.resampling import Interval

SUMMARY_COLUMNS = ("mean", "95 % interval", "scored", "skipped", "errors")
"""Heads of the cells of `summary_lines`, after the metric's name."""

SCORE_DIGITS = 3
"""A score's decimals: of a hundred rows with a few sentences each, one sentence moves the mean by some thousandths."""

NONE = "-"
"""What stands for a figure that there is not."""

MARKS = {Outcome.PASSED: "pass", Outcome.FAILED: "FAIL", Outcome.MISSING: "MISSING"}


def summary_lines(report: GateReport) -> list[tuple[str, ...]]:
    """Return a line for each metric and one for the triad: name, then the cells of `SUMMARY_COLUMNS`."""
    lines: list[tuple[str, ...]] = []
    for name, one in report.metrics.items():
        counts = (f"{one.scored:,}", f"{sum(one.skipped.values()):,}", f"{one.errors:,}")
        lines.append((name, shown(one.mean), _range(one.interval), *counts))
    lines.append((TRIAD_NAME, shown(report.triad.mean), _range(report.triad.interval), "", "", ""))
    return lines


def shown(score: float | None) -> str:
    """Return a score as it is shown."""
    return NONE if score is None else f"{score:.{SCORE_DIGITS}f}"


def check_title(check: Check) -> str:
    """Name what a check demands."""
    if check.kind is CheckKind.MINIMUM:
        return f"{check.metric} at least {check.bound:g}"
    return f"drop of {check.metric} at most {check.bound:g}"


def headline(report: GateReport) -> str:
    """Say in a sentence how the gate ended."""
    failed = sum(check.outcome is Outcome.FAILED for check in report.checks)
    missing = sum(check.outcome is Outcome.MISSING for check in report.checks)
    passed = len(report.checks) - failed - missing
    counts = [f"{passed} passed", f"{failed} failed"] + ([f"{missing} without scores"] if missing else [])
    held = f"{len(report.checks)} checks: {', '.join(counts)}" if report.checks else "no checks were asked for"
    return f"{report.dataset}: {report.verdict} ({held}; {len(report.rows):,} rows)"


def _range(interval: Interval | None) -> str:
    return NONE if interval is None else f"{shown(interval.low)} to {shown(interval.high)}"
