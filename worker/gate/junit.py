"""The report for CI servers, as JUnit XML: a test case for each check, and one that every row has its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from groundwire.worker.gate.checks import Outcome
from groundwire.worker.gate.words import check_title

if TYPE_CHECKING:
    from groundwire.worker.gate.report import GateReport

ROWS_CASE = "every row is scored or skipped"


def junit_report(report: GateReport) -> bytes:
    """Write the report. A check that failed is a failure; missing scores and rows in error are errors."""
    suite = ET.Element("testsuite", name=f"groundwire {_plain(report.dataset)}", timestamp=report.evaluated_at)
    for check in report.checks:
        case = ET.SubElement(suite, "testcase", classname=f"groundwire.{check.kind}", name=check_title(check))
        if check.outcome is Outcome.FAILED:
            ET.SubElement(case, "failure", message=check.reason, type=check.kind)
        elif check.outcome is Outcome.MISSING:
            ET.SubElement(case, "error", message=check.reason, type="missing")
    rows = ET.SubElement(suite, "testcase", classname="groundwire.rows", name=ROWS_CASE)
    problems = [
        (row.line, name, metric.problem)
        for row in report.rows
        for name, metric in row.metrics.items()
        if metric.problem is not None
    ]
    if problems:
        lines = len({line for line, _, _ in problems})
        error = ET.SubElement(rows, "error", message=f"{lines:,} rows could not be scored", type="error")
        error.text = _plain("\n".join(f"line {line}, {name}: {problem}" for line, name, problem in problems))
    suite.set("tests", str(len(report.checks) + 1))
    suite.set("failures", str(sum(1 for _ in suite.iter("failure"))))
    suite.set("errors", str(sum(1 for _ in suite.iter("error"))))
    suite.set("skipped", "0")
    whole = ET.Element("testsuites")
    whole.append(suite)
    ET.indent(whole)
    written: bytes = ET.tostring(whole, "utf-8", xml_declaration=True)
    return written + b"\n"


def _plain(text: str) -> str:
    """Text without the control characters that XML can't hold; a file's name may have them."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
