"""The report for people and pull requests, as Markdown: figures and checks, without any text of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.worker.evaluate.markdown import SHOWN_DIGITS, escaped
from groundwire.worker.gate.words import MARKS, SUMMARY_COLUMNS, check_title, headline, summary_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.gate.report import GateReport


def markdown_report(report: GateReport) -> str:
    """Write the report."""
    lines = [f"# Groundwire: {report.verdict}", "", f"{escaped(headline(report))}.", ""]
    if report.scorer is not None:
        scorer = report.scorer
        model = f"model {escaped(scorer.model_id)} ({scorer.model_sha256[:SHOWN_DIGITS]})"
        profile = f"profile {escaped(scorer.profile)} ({scorer.config_hash[:SHOWN_DIGITS]})"
        lines += [f"Groundwire {scorer.version}, {profile}, {model}, seed {report.seed}.", ""]
    if report.checks:
        cells = [(MARKS[check.outcome], check_title(check), check.reason) for check in report.checks]
        lines += ["## Checks", "", *_table(("", "check", "found"), cells), ""]
    lines += ["## Metrics", "", *_table(("metric", *SUMMARY_COLUMNS), summary_lines(report)), ""]
    lines += [f"- {escaped(note)}" for note in report.notes]
    return "\n".join(lines).rstrip() + "\n"


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    rule = "|".join("---" for _ in heads)
    return [f"| {' | '.join(heads)} |", f"|{rule}|", *(f"| {' | '.join(map(escaped, line))} |" for line in lines)]
