from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groundwire.models.fit_head import fit, main, predict, standardised_head
from groundwire.models.nli_data import PairSet
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"premise": "p", "hypothesis": "h", "label": "neutral", "split": "dev"},
    {"premise": "q", "hypothesis": "i", "label": "-", "split": "dev"},
    {"premise": "r", "hypothesis": "j", "label": "entailment", "split": "test"},
]
SET = PairSet("some dev", "some.jsonl.gz", "dev", "owner/repository", "MIT")


def write(folder: Path, rows: list[dict[str, str]]) -> None:
    with gzip.open(folder / SET.file, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_standardisation_is_folded_into_the_head() -> None:
    random = np.random.default_rng(1)
    x = random.normal(3, 5, size=(50, 8))
    mean, deviation, weight, bias = x.mean(0), x.std(0), random.normal(size=(8, 3)), random.normal(size=3)
    head = standardised_head(mean, deviation, weight, bias)
    np.testing.assert_allclose(x @ head.weight + head.bias, (x - mean) / deviation @ weight + bias, atol=1e-4)


def test_a_head_learns_classes_that_can_be_told_apart() -> None:
    random = np.random.default_rng(2)
    labels = np.arange(300) % 3
    features = (random.normal(size=(300, 6)) + 4 * np.eye(3, 6)[labels] + 100).astype(np.float32)
    head, strength, score = fit(features, labels, [f"premise {index // 3}" for index in range(300)])
    assert (predict(head, features) == labels).mean() > 0.95
    assert score > 0.9
    assert strength > 0


def test_pairs_are_read_by_split_and_those_without_a_label_left_out(tmp_path: Path) -> None:
    write(tmp_path, ROWS)
    data = SET.read(tmp_path)
    assert data.pairs == [("p", "h")]
    assert data.labels.tolist() == [1]


@pytest.mark.parametrize("rows", [ROWS[1:], [{"premise": "p"}]])
def test_data_without_usable_rows_is_a_clear_error(rows: list[dict[str, str]], tmp_path: Path) -> None:
    write(tmp_path, rows)
    with pytest.raises(ModelError, match=r"some\.jsonl\.gz"):
        SET.read(tmp_path)


def test_a_missing_data_folder_is_one_clear_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert main([str(tmp_path / "none"), "--output", str(tmp_path / "head.json")]) == 2
    assert "snli.jsonl.gz" in caplog.text
    assert not (tmp_path / "head.json").exists()
