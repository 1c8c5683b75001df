"""What is written of an evaluation: JSON, Markdown and plots."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import SettingsError
from groundwire.worker.evaluate.folder import make_folder
from groundwire.worker.evaluate.markdown import escaped, markdown_report
from groundwire.worker.evaluate.output import write_report
from groundwire.worker.evaluate.report import Report, make_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groundwire.worker.evaluate.report import Evaluated

    EvaluateWritten = Callable[..., Evaluated]

ROWS = (
    (True, "0.9", "web"),
    (False, "0.8 0.95", "web"),
    (True, "0.1 0.9 0.3", "books"),
    (False, "skip", "books"),
    (True, "error", "books"),
)


def report_of(*evaluated: Evaluated, texts: bool = False) -> Report:
    return make_report(evaluated, label_field="supported", sample=None, seed=0, texts=texts)


def markdown_of(*evaluated: Evaluated, texts: bool = True) -> str:
    return markdown_report(evaluated, [{} for _ in evaluated], label_field="supported", texts=texts)


def test_the_json_has_every_row_with_its_sentences_and_reads_back(evaluate_written: EvaluateWritten) -> None:
    report = report_of(evaluate_written(*ROWS))
    assert Report.model_validate_json(report.model_dump_json()) == report
    written: dict[str, Any] = json.loads(report.model_dump_json())
    [dataset] = written["datasets"]
    assert (dataset["name"], dataset["figures"]["rows"], dataset["rows_in_file"]) == ("my rows", 4, 5)
    assert set(dataset["sources"]) == {"web", "books"}
    rows = dataset["rows"]
    assert [row["id"] for row in rows] == ["r1", "r2", "r3", "r4", "r5"]
    assert [row["value"] for row in rows] == [0.9, 0.8, 0.1, 0.0, None]
    assert [row["predicted"] for row in rows] == [True, True, False, False, None]
    assert (rows[3]["skip_reason"], rows[4]["problem"]) == ("abstention", "it would take hours")
    assert [sentence["label"] for sentence in rows[2]["sentences"]] == ["neutral", "entailment", "neutral"]
    assert written["scorer"]["model_id"] == "fake_model"


def test_the_json_quotes_texts_only_if_asked_to(evaluate_written: EvaluateWritten) -> None:
    evaluated = evaluate_written(*ROWS)
    for texts in (False, True):
        written = report_of(evaluated, texts=texts).model_dump_json()
        assert ("Sentence 0.9." in written) is texts
        assert ("Context 1" in written) is texts
    assert '"evidence":[{"context_index":0' in report_of(evaluated).model_dump_json()


def test_an_evaluation_without_any_result_has_no_scorer(evaluate_written: EvaluateWritten) -> None:
    evaluated = evaluate_written((True, "fault"))
    assert report_of(evaluated).scorer is None
    assert "ZeroDivisionError in the scorer" in markdown_of(evaluated)


def test_the_markdown_shows_misses_with_the_sentence_that_decided_and_its_evidence(
    evaluate_written: EvaluateWritten,
) -> None:
    shown = markdown_of(evaluate_written(*ROWS))
    passed, alarms = shown.split("### Unsupported, but taken for supported")[1].split("### Supported, but not taken")
    assert "- **r2**, value 0.800, entailment" in passed
    assert "  - sentence: Sentence 0.8.\n  - evidence: Context 2, " in passed
    assert "- **r3**, value 0.100, neutral (neutral 0.450, contradiction 0.450); 2 sentences are not entailed" in alarms
    assert "  - sentence: Sentence 0.1.\n" in alarms
    assert "r1" not in passed + alarms


def test_the_markdown_says_what_had_nothing_to_score_and_what_failed(evaluate_written: EvaluateWritten) -> None:
    shown = markdown_of(evaluate_written(*ROWS))
    assert "1 row had nothing to score and counts as not supported, value 0: abstention 1." in shown
    assert "1 row could not be scored and is in no figure: r5 (it would take hours)." in shown
    assert "nothing to score: abstention" in markdown_of(evaluate_written((True, "skip"), (False, "0.1")))


def test_many_rows_in_error_are_counted_and_not_all_named(evaluate_written: EvaluateWritten) -> None:
    shown = markdown_of(evaluate_written((True, "0.9"), (False, "0.1"), *[(True, "error")] * 25))
    assert "25 rows could not be scored and are in no figure: r3 " in shown
    assert "15 more" in shown


def test_the_markdown_leaves_texts_out_where_asked_to(evaluate_written: EvaluateWritten) -> None:
    shown = markdown_of(evaluate_written(*ROWS), texts=False)
    assert "- **r2**" in shown
    assert "Sentence" not in shown
    assert "Context 2" not in shown


def test_quoted_texts_cannot_mark_up_the_report(evaluate_written: EvaluateWritten) -> None:
    assert r"\<b\>\*bold\*\</b\>." in markdown_of(evaluate_written(*ROWS))
    assert escaped("a | b\n\n# c ![x](y) `d` \x1b[31m") == r"a \| b # c !\[x\](y) \`d\` \[31m"


def test_figures_of_several_files_stand_in_one_table(evaluate_written: EvaluateWritten) -> None:
    shown = markdown_of(evaluate_written(*ROWS, path="a.jsonl"), evaluate_written((True, "0.9"), path="b.jsonl"))
    assert re.search(r"^\| a \| 4 \| 2 \| .*\n\| b \| 1 \| 1 \| - \| - \| - \| - \| 1.000 \|", shown, re.MULTILINE)
    assert "All rows have the same label" in shown


def test_all_files_of_a_report_are_written_and_the_plots_are_those_that_it_shows(
    evaluate_written: EvaluateWritten, tmp_path: Path
) -> None:
    folder = make_folder(str(tmp_path / "deep" / "report"))
    evaluated = [evaluate_written(*ROWS), evaluate_written((True, "0.9"), path="other/my rows.jsonl")]
    for _ in range(2):
        write_report(folder, report_of(*evaluated), evaluated, texts=True)
        names = {path.name for path in folder.iterdir()}
        shown = set(re.findall(r"!\[.+?\]\((.+?)\)", (folder / "report.md").read_text("utf-8")))
        assert names == {"report.json", "report.md", *shown}
        assert len(shown) == 6
    for name in shown:
        assert ET.parse(folder / name).getroot().tag.endswith("svg")  # noqa: S314 - a file of our own


def test_plots_are_the_same_every_time(evaluate_written: EvaluateWritten, tmp_path: Path) -> None:
    evaluated = evaluate_written(*ROWS)
    contents = []
    for name in ("one", "two"):
        folder = make_folder(str(tmp_path / name))
        write_report(folder, report_of(evaluated), [evaluated], texts=False)
        contents.append({path.name: path.read_bytes() for path in folder.glob("*.svg")})
    assert contents[0] == contents[1]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="Not a directory"):
        make_folder(str(tmp_path / "file" / "report"))
    with pytest.raises(SettingsError, match="File exists"):
        make_folder(str(tmp_path / "file"))
