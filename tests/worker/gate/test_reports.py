"""The reports: JSON that can be read again, Markdown, JUnit XML, and a page that is safe to open."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from groundwire.schemas import SettingsError
from groundwire.worker.gate.junit import junit_report
from groundwire.worker.gate.markdown import markdown_report
from groundwire.worker.gate.output import write_reports
from groundwire.worker.gate.page import ROWS_SHOWN, page
from groundwire.worker.gate.report import GateReport
from tests.worker.gate.conftest import held
from tests.worker.gate.made_scores import ERROR, SKIP, made_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groundwire.worker.gate.rows import AnswerSet
    from groundwire.worker.gate.scored import ScoredSet

MARKER = "QUOKKA"
ATTACK = f'<script>alert("{MARKER}")</script><img src=x onerror=alert(1)> & <b>bold</b>'
CONTEXT = "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel. " + ATTACK
ROW = {
    "id": f"<i>{ATTACK[:60]}",
    "query": f"Where is it? {ATTACK}",
    "contexts": [{"id": ATTACK[:60], "text": CONTEXT}],
    "answer": f"The Eiffel Tower is in Paris, France. It was built in 1989 by Gustave Eiffel. It says {ATTACK} to all.",
}


class Page(HTMLParser):
    """What a browser would find."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.marked: list[tuple[str | None, str]] = []
        self._mark: str | None = None
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "mark":
            self._mark = dict(attrs)["class"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self._mark = None

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._mark is not None:
            self.marked.append((self._mark, data))


@pytest.fixture
def scored(
    read: Callable[..., AnswerSet], score_once: Callable[[AnswerSet], ScoredSet]
) -> Callable[[dict[str, Any]], ScoredSet]:
    return lambda row: score_once(read([row]))


def test_the_page_shows_answer_sentences_and_evidence_and_runs_nothing(
    scored: Callable[[dict[str, Any]], ScoredSet],
) -> None:
    found = scored(ROW)
    content = page(held(found), found, texts=True)
    shown = Page(content)
    assert not {"script", "img", "link", "iframe", "b", "i", "object", "form", "a"} & set(shown.tags)
    assert not [name for name, _ in shown.attributes if name.startswith("on") or name in ("src", "href")]
    assert "url(" not in content
    assert "@import" not in content
    assert any(name == "content" and "default-src 'none'" in (value or "") for name, value in shown.attributes)
    assert ("entailment", "The Eiffel Tower is in Paris, France.") in shown.marked
    assert any(label != "entailment" and "1989" in text for label, text in shown.marked)
    assert "It was built in 1889 by Gustave Eiffel." in shown.text
    assert f"Where is it? {ATTACK}" in shown.text
    assert shown.tags.count("svg") == 6


def test_without_texts_the_page_quotes_nothing(scored: Callable[[dict[str, Any]], ScoredSet]) -> None:
    found = scored(ROW | {"id": "r1", "contexts": [CONTEXT]})
    content = page(held(found), found, texts=False)
    assert MARKER not in content
    assert "Eiffel" not in content
    assert "chunk 0, text 46 to " in Page(content).text


def test_the_other_reports_never_quote(scored: Callable[[dict[str, Any]], ScoredSet], tmp_path: Path) -> None:
    found = scored(ROW | {"id": "r1"})
    write_reports(tmp_path, held(found, None, {"faithfulness": 0.99}), found, texts=True)
    assert {path.name for path in tmp_path.iterdir()} >= {"report.json", "report.md", "report.html", "junit.xml"}
    for name in ("report.json", "report.md", "junit.xml"):
        assert "Eiffel" not in (tmp_path / name).read_text("utf-8")
        assert MARKER not in (tmp_path / name).read_text("utf-8")


def test_a_large_set_shows_its_lowest_rows() -> None:
    scores = [number / 300 for number in range(300)]
    made = made_set({"faithfulness": [*reversed(scores[1:]), ERROR]})
    shown = Page(page(held(made), made, texts=True))
    assert shown.tags.count("details") == ROWS_SHOWN
    assert "r299 line 300: faithfulness in error" in shown.text
    assert "r298 line 299" in shown.text
    assert "r0 line 1:" not in shown.text


def test_a_report_can_be_read_again(tmp_path: Path) -> None:
    made = made_set({"faithfulness": [0.5, SKIP, ERROR, 1 / 3]})
    report = held(made, held(made), {"faithfulness": 0.4})
    write_reports(tmp_path, report, made, texts=True)
    assert GateReport.read(str(tmp_path / "report.json")) == report
    with pytest.raises(SettingsError, match=r"--baseline .*nosuch.json: No such file or directory; name the report"):
        GateReport.read(str(tmp_path / "nosuch.json"))
    (tmp_path / "other.json").write_text(f'{{"text": "{MARKER}"}}')
    with pytest.raises(SettingsError, match="is no report of `groundwire evaluate` without --labels") as raised:
        GateReport.read(str(tmp_path / "other.json"))
    assert MARKER not in str(raised.value)


@pytest.mark.parametrize(
    ("found", "changed", "problem"),
    [
        ('"score":0.5', '"score":NaN', ", see rows.1.metrics.faithfulness.score; name the report"),
        ('"v":1', '"v":2', ", see v; name the report"),
        ('"rows":', '"rows":[', ": it is cut short or no JSON; name the report"),
    ],
)
def test_a_report_that_was_spoiled_is_refused_with_the_place(
    tmp_path: Path, found: str, changed: str, problem: str
) -> None:
    written = held(made_set({"faithfulness": [0.75, 0.5]})).model_dump_json()
    assert written.count(found) == 1
    (tmp_path / "report.json").write_text(written.replace(found, changed))
    with pytest.raises(SettingsError) as raised:
        GateReport.read(str(tmp_path / "report.json"))
    assert problem in str(raised.value)


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    made = made_set({"faithfulness": [0.5]})
    (tmp_path / "report.md").mkdir()
    with pytest.raises(SettingsError, match=r"--output .*: report.md can't be written: .*; make room, or name another"):
        write_reports(tmp_path, held(made), made, texts=True)


def test_junit_has_a_case_for_each_check_and_one_for_the_rows() -> None:
    made = made_set({"faithfulness": [0.5, SKIP, ERROR], "groundedness": [0.9, 0.9, 0.9]})
    report = held(made, None, {"faithfulness": 0.8, "groundedness": 0.8, "completeness": 0.1})
    [suite] = ET.fromstring(junit_report(report))  # noqa: S314 - written here
    cases = {case.get("name"): [child.tag for child in case] for case in suite}
    assert cases == {
        "faithfulness at least 0.8": ["failure"],
        "groundedness at least 0.8": [],
        "completeness at least 0.1": ["error"],
        "every row is scored or skipped": ["error"],
    }
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "2")
    assert suite.findtext("testcase/error[@type='error']") == "line 3, faithfulness: it would take hours"


def test_markdown_has_the_figures_the_checks_and_the_notes() -> None:
    made = made_set({"faithfulness": [0.5, SKIP, ERROR]})
    lines = markdown_report(held(made, None, {"faithfulness": 0.8})).splitlines()
    assert lines[0] == "# Groundwire: incomplete"
    assert "| FAIL | faithfulness at least 0.8 | the mean 0.5000 is below the minimum of 0.8 |" in lines
    assert "| faithfulness | 0.500 | 0.500 to 0.500 | 1 | 1 | 1 |" in lines
    assert "- 1 row could not be scored: line 3 (it would take hours)." in lines
