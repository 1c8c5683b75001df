from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groundwire.models.head import HEAD_FILE, Head, encode_array, load_head, read_head_record
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_committed_head_fits_the_encoder() -> None:
    head = load_head()
    assert head.weight.shape == (384, 3)
    assert head.bias.shape == (3,)
    assert np.isfinite(head.weight).all()


def test_arrays_survive_the_file_exactly(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    weight, bias = random.normal(size=(4, 3)).astype(np.float32), random.normal(size=3).astype(np.float32)
    path = tmp_path / HEAD_FILE
    path.write_text(
        json.dumps(
            {
                "labels": ["entailment", "neutral", "contradiction"],
                "weight": encode_array(weight),
                "bias": encode_array(bias),
            }
        )
    )
    head = load_head(path)
    np.testing.assert_array_equal(head.weight, weight)
    np.testing.assert_array_equal(head.bias, bias)
    assert head.sha256 == Head(weight, bias).sha256


def test_another_number_gives_another_hash() -> None:
    head = load_head()
    changed = head.weight.copy()
    changed[0, 0] += 1
    assert Head(changed, head.bias).sha256 != head.sha256


@pytest.mark.parametrize(
    "record",
    [
        {"weight": "AAAA"},
        {"labels": ["neutral", "entailment", "contradiction"], "weight": "", "bias": ""},
        {"labels": ["entailment", "neutral", "contradiction"], "weight": "?", "bias": "?"},
        {"labels": ["entailment", "neutral", "contradiction"], "weight": "AAAAAA==", "bias": "AAAAAA=="},
        [],
    ],
)
def test_a_file_that_holds_no_head_is_a_clear_error(record: object, tmp_path: Path) -> None:
    path = tmp_path / HEAD_FILE
    path.write_text(json.dumps(record))
    with pytest.raises(ModelError, match=r"nli_head\.json"):
        load_head(path)


@pytest.mark.parametrize("content", ["", "{", "\udcff"])
def test_a_file_that_is_no_json_is_a_clear_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / HEAD_FILE
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelError, match="reinstall"):
        read_head_record(path)


def test_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="reinstall"):
        read_head_record(tmp_path / HEAD_FILE)
