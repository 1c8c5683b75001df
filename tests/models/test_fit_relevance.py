from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groundwire.models import fit_relevance
from groundwire.models.calibration import Calibration
from groundwire.models.fit_relevance import RelevanceSet, fit, quantile, report, roc_auc
from groundwire.models.relevance_files import MODEL_SHA256
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = {
    "The Eiffel Tower is 330 metres tall. It stands in Paris.": "The tower in Paris is 330 metres high.",
    "Bananas are rich in potassium. They grow in the tropics.": "Potassium is found in bananas.",
    "Rust is a programming language. It has no garbage collector.": "Rust works without garbage collection.",
    "Mozart was born in Salzburg in 1756. He wrote 41 symphonies.": "The composer Mozart was born in Salzburg.",
}


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def rows_of_topics() -> list[dict[str, object]]:
    return [{"context": [context], "response": answer, "supported": 1} for context, answer in TOPICS.items()]


def test_the_command_fits_measures_and_stores(tmp_path: Path) -> None:
    write_rows(tmp_path / "topics.jsonl.gz", rows_of_topics())
    output = tmp_path / "calibration.json"
    assert fit_relevance.main([str(tmp_path), "--threads", "1", "--output", str(output)]) == 0
    record = json.loads(output.read_text())[MODEL_SHA256]
    assert -1 < record["floor"] < 0.4 < record["ceiling"] < 1
    assert record["measured"]["topics.jsonl.gz"]["auc_own_foreign"] == 1
    assert set(record["fitted_on"]) == {"topics.jsonl.gz"}


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"response": "An answer."}],
        rows_of_topics()[:1],
        [{"context": 3, "response": "x"}],
        [{"context": [], "response": ""}],
    ],
)
def test_rows_that_cant_be_used_are_refused(
    tmp_path: Path, rows: list[dict[str, object]], caplog: pytest.LogCaptureFixture
) -> None:
    path = write_rows(tmp_path / "rows.jsonl", rows)
    assert fit_relevance.main([str(path), "--threads", "1", "--output", str(tmp_path / "out.json")]) == 2
    assert "rows.jsonl" in caplog.text
    assert not (tmp_path / "out.json").exists()


def test_a_folder_without_data_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert fit_relevance.main([str(tmp_path), "--threads", "1"]) == 2
    assert "*.jsonl" in caplog.text


def sentences(*values: float) -> list[np.ndarray]:
    return [np.array([value], np.float32) for value in values]


def test_floor_and_ceiling_are_upper_quartiles() -> None:
    part = RelevanceSet(sentences(0.6, 0.7, 0.8, 0.9), sentences(0.0, 0.1, 0.2, 0.3), [True] * 4)
    assert fit([part]) == Calibration(0.2, 0.8)


def test_every_set_weighs_the_same() -> None:
    assert quantile([sentences(*[0.1] * 100), sentences(0.9)], 0.75) == pytest.approx(0.9)


def test_a_model_that_finds_foreign_text_more_relevant_is_refused() -> None:
    with pytest.raises(ModelError, match="not above foreign"):
        fit([RelevanceSet(sentences(0.1, 0.2), sentences(0.8, 0.9), [True, True])])


def test_without_supported_rows_there_is_no_ceiling() -> None:
    with pytest.raises(ModelError, match="supported"):
        fit([RelevanceSet(sentences(0.9), sentences(0.1), [False])])


def test_area_under_the_curve_counts_ties_as_half() -> None:
    assert roc_auc(np.array([1, 2], np.float32), np.array([0, 1], np.float32)) == pytest.approx(3.5 / 4)


def test_the_report_takes_the_mean_over_an_answers_sentences() -> None:
    own = [np.array([1, 1], np.float32), np.array([0.2, 1], np.float32)]
    foreign = [np.array([0.9, 0], np.float32), np.array([0, 0], np.float32)]
    figures = report(RelevanceSet(own, foreign, [True, False]), Calibration(0, 1))
    assert figures == {
        "auc_own_foreign_raw": 1,
        "auc_own_foreign": 1,
        "foreign_sentences_above_middle": 0.25,
        "supported_sentences_above_middle": 1,
        "auc_supported": 1,
    }
