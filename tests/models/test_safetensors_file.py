from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from groundwire.models.safetensors_file import read_safetensors
from groundwire.schemas.errors import ModelError
from tests.models import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

VALUES = np.array([[1.5, -2.0, 0.0], [3.25, 0.125, -7.0]], np.float32)


def stored(path: Path, kind: str, data: bytes, **more: Any) -> Path:
    header = {"x": {"dtype": kind, "shape": [2, 3], "data_offsets": [0, len(data)], **more}}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("F32", VALUES.astype("<f4").tobytes()),
        ("F16", VALUES.astype("<f2").tobytes()),
        ("F64", VALUES.astype("<f8").tobytes()),
        ("BF16", (VALUES.view(np.uint32) >> 16).astype("<u2").tobytes()),
    ],
)
def test_every_floating_point_type_is_read_as_float32(tmp_path: Path, kind: str, data: bytes) -> None:
    read = read_safetensors(stored(tmp_path / "w", kind, data))["x"]
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, VALUES)


def test_whole_numbers_are_no_weights(tmp_path: Path) -> None:
    assert read_safetensors(stored(tmp_path / "w", "I64", np.arange(6).tobytes())) == {}


def test_a_whole_checkpoint_comes_back(tmp_path: Path) -> None:
    made = tiny_model.weights()
    (tmp_path / "w").write_bytes(tiny_model.safetensors(made))
    read = read_safetensors(tmp_path / "w")
    assert read.keys() == made.keys()
    assert all(np.array_equal(read[name], made[name]) for name in made)


@pytest.mark.parametrize("kept", [0, 4, 8, 100, -1])
def test_a_truncated_file_is_refused(tmp_path: Path, kept: int) -> None:
    (tmp_path / "w").write_bytes(tiny_model.safetensors(tiny_model.weights())[:kept])
    with pytest.raises(ModelError, match=r"w: truncated, or no safetensors file .* get it again"):
        read_safetensors(tmp_path / "w")


@pytest.mark.parametrize(
    "more", [{"shape": [4, 3]}, {"data_offsets": [0, 23]}, {"data_offsets": [-4, 20]}, {"shape": None}]
)
def test_a_header_that_contradicts_the_values_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="no safetensors file"):
        read_safetensors(stored(tmp_path / "w", "F32", VALUES.tobytes(), **more))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="w: can't be read"):
        read_safetensors(tmp_path / "w")
