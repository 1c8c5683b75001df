"""Writes a gate's reports into a folder: JSON, Markdown, a page and JUnit XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.worker.gate.junit import junit_report
from groundwire.worker.gate.markdown import markdown_report
from groundwire.worker.gate.page import page

if TYPE_CHECKING:
    from pathlib import Path

    from groundwire.worker.gate.report import GateReport
    from groundwire.worker.gate.scored import ScoredSet

JSON_NAME, MARKDOWN_NAME, PAGE_NAME, JUNIT_NAME = "report.json", "report.md", "report.html", "junit.xml"


def write_reports(folder: Path, report: GateReport, scored: ScoredSet, *, texts: bool) -> None:
    """Write all files; what an earlier run left under the same names is overwritten.

    Args:
        folder: Where they go; it exists.
        report: The figures.
        scored: The rows.
        texts: Whether the page quotes queries, answers and evidence. The other files never do.
    """
    (folder / JSON_NAME).write_text(report.model_dump_json(indent=1) + "\n", "utf-8")
    (folder / MARKDOWN_NAME).write_text(markdown_report(report), "utf-8")
    (folder / PAGE_NAME).write_text(page(report, scored, texts=texts), "utf-8")
    (folder / JUNIT_NAME).write_bytes(junit_report(report))
