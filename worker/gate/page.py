"""The report as one HTML page that needs nothing else: figures, checks, distributions, rows with their evidence.

The page has no script and asks nobody for anything; its policy tells browsers to refuse both. Every text of a row is
escaped, as an answer may hold HTML.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from groundwire.worker.gate.bars import histogram
from groundwire.worker.gate.page_rows import row_section
from groundwire.worker.gate.words import MARKS, SUMMARY_COLUMNS, check_title, headline, shown, summary_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.worker.gate.report import GateReport, RowReport
    from groundwire.worker.gate.scored import ScoredSet

ROWS_SHOWN = 200
"""A browser opens so many at once, and nobody reads more; the lowest come first."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

STYLE = """
:root { color-scheme: light dark; --good: #1b7f5c; --bad: #c2452d; --open: #9a6b00; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { text-align: left; padding: .25rem .8rem .25rem 0; }
th, td { border-bottom: 1px solid var(--line); vertical-align: top; } td { font-variant-numeric: tabular-nums; }
.pass { color: var(--good); } .FAIL, .MISSING { color: var(--bad); font-weight: 600; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 0; } figcaption { font-weight: 600; }
svg rect { fill: var(--good); } svg text { fill: currentColor; font: 10px system-ui, sans-serif; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; } summary { cursor: pointer; }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid var(--line); white-space: pre-wrap; }
mark { background: none; color: inherit; border-bottom: 3px solid var(--line); }
mark.entailment { border-color: var(--good); } mark.contradiction { border-color: var(--bad); }
mark.neutral { border-color: var(--open); } small { opacity: .75; } li { overflow-wrap: anywhere; }
"""


def page(report: GateReport, scored: ScoredSet, *, texts: bool) -> str:
    """Write the page.

    Args:
        report: The figures.
        scored: The rows.
        texts: Whether queries, answers and evidence are quoted.
    """
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Groundwire: {escape(report.dataset)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(report.verdict)}</h1><p>{escape(headline(report))}, {escape(report.evaluated_at)}</p>",
        *_checks(report),
        "<h2>Metrics</h2>",
        *_table(("metric", *SUMMARY_COLUMNS), summary_lines(report)),
        *(f"<p>{escape(note)}</p>" for note in report.notes),
        *_plots(report),
        *_rows(report, scored, texts=texts),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _checks(report: GateReport) -> Iterable[str]:
    if not report.checks:
        return
    yield "<h2>Checks</h2><table><tr><th></th><th>check</th><th>found</th></tr>"
    for check in report.checks:
        mark = MARKS[check.outcome]
        cells = f"<td>{escape(check_title(check))}</td><td>{escape(check.reason)}</td>"
        yield f'<tr><td class="{mark}">{mark}</td>{cells}</tr>'
    yield "</table>"


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterable[str]:
    yield f"<table><tr>{''.join(f'<th>{escape(head)}</th>' for head in heads)}</tr>"
    for line in lines:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>"
    yield "</table>"


def _plots(report: GateReport) -> Iterable[str]:
    yield '<h2>Distributions</h2><div class="plots">'
    for name, summary in report.metrics.items():
        scores = [score for row in report.rows if (score := row.metrics[name].score) is not None]
        drawn = histogram(scores) if scores else "<p>no row has a score</p>"
        yield f"<figure><figcaption>{escape(name)}, mean {shown(summary.mean)}</figcaption>{drawn}</figure>"
    yield "</div>"


def _rows(report: GateReport, scored: ScoredSet, *, texts: bool) -> Iterable[str]:
    pairs = sorted(zip(report.rows, scored.scored, strict=True), key=lambda pair: _lowest(pair[0]))
    yield "<h2>Rows</h2>"
    if len(pairs) > ROWS_SHOWN:
        yield f"<p>The {ROWS_SHOWN} rows with the lowest mean of their scores, out of {len(pairs):,}.</p>"
    for row, one in pairs[:ROWS_SHOWN]:
        yield row_section(row, one, texts=texts)


def _lowest(row: RowReport) -> tuple[float, int]:
    """Order rows by the mean of their scores, those in error before all and those without any score after all."""
    if any(metric.problem is not None for metric in row.metrics.values()):
        return (-1.0, row.line)
    scores = [metric.score for metric in row.metrics.values() if metric.score is not None]
    return (sum(scores) / len(scores) if scores else 2.0, row.line)
