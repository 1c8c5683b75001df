"""Writes a gate's reports into a folder: JSON, Markdown, a page and JUnit XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import SettingsError
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

    Raises:
        SettingsError: A file can't be written.
    """
    contents = {
        JSON_NAME: f"{report.model_dump_json(indent=1)}\n".encode(),
        MARKDOWN_NAME: markdown_report(report).encode(),
        PAGE_NAME: page(report, scored, texts=texts).encode(),
        JUNIT_NAME: junit_report(report),
    }
    for name, content in contents.items():
        try:
            (folder / name).write_bytes(content)
        except OSError as error:
            problem = f"{name} can't be written: {error.strerror}; make room, or name another folder"
            raise SettingsError(f"--output {folder}: {problem}") from error
