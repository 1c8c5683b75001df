"""Text for a terminal, one line each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.schemas import MetricResult, Result


def report_error(message: str) -> None:
    """Print an error as one line on standard error."""
    print(f"groundwire: error: {' '.join(message.split())}", file=sys.stderr)


def printable(text: str) -> str:
    """Return the text with control characters escaped: an id is opaque, and could hold a terminal's commands."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def summary(result: Result) -> str:
    """Return the result as one line: time, trace, job, and what became of each metric."""
    metrics = ", ".join(f"{name} {_outcome(metric)}" for name, metric in sorted(result.metrics.items()))
    return f"{result.evaluated_at}  {printable(result.trace_id)}  {printable(result.job_id)}  {printable(metrics)}"


def _outcome(metric: MetricResult) -> str:
    if metric.error is not None:
        return f"error: {metric.error.code}: {metric.error.message}"
    if metric.score is None:
        return f"skipped: {metric.skip_reason}"
    counts = f"{metric.entailed_count} of {metric.total_qualifying} supported, {metric.contradicted_count} contradicted"
    return f"{metric.score:.2f} {metric.status} ({counts})"
