from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.models.calibration import Calibration, store_calibration
from groundwire.schemas.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

FINITE = st.floats(-10, 10)
RAW_VALUES = st.floats(-100, 100, width=32)


CALIBRATIONS = (
    st.tuples(FINITE, FINITE)
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: Calibration(min(pair), max(pair)))
)


@given(CALIBRATIONS, st.lists(RAW_VALUES, min_size=1))
def test_calibrated_relevance_lies_between_0_and_1(calibration: Calibration, raw: list[float]) -> None:
    calibrated = calibration.calibrate(np.array(raw, np.float32))
    assert calibrated.shape == (len(raw),)
    assert calibrated.dtype == np.float32
    assert ((calibrated >= 0) & (calibrated <= 1)).all()


@given(CALIBRATIONS, RAW_VALUES, RAW_VALUES)
def test_calibration_keeps_the_order(calibration: Calibration, left: float, right: float) -> None:
    low, high = calibration.calibrate(np.array(sorted((left, right)), np.float32))
    assert low <= high


@given(CALIBRATIONS)
def test_floor_is_0_and_ceiling_is_1(calibration: Calibration) -> None:
    assert calibration.calibrate(calibration.floor) == 0
    assert calibration.calibrate(calibration.ceiling) == 1


def test_between_them_it_is_linear() -> None:
    assert Calibration(0.2, 0.8).calibrate(np.array([[0.35, 0.5]], np.float32)) == pytest.approx(
        np.array([[0.25, 0.5]])
    )


@pytest.mark.parametrize(("floor", "ceiling"), [(0.5, 0.5), (0.8, 0.2), (math.nan, 1), (0, math.inf), (-1e308, 1e308)])
def test_numbers_that_make_no_scale_are_refused(floor: float, ceiling: float) -> None:
    with pytest.raises(SettingsError, match="ceiling"):
        Calibration(floor, ceiling)


def test_storing_keeps_the_records_of_other_graphs(tmp_path: Path) -> None:
    path = tmp_path / "relevance_calibration.json"
    for sha256, floor in (("a", 0.1), ("b", 0.2), ("a", 0.3)):
        store_calibration(path, sha256, {"floor": floor, "ceiling": 0.9})
    records = json.loads(path.read_text())
    assert {sha256: record["floor"] for sha256, record in records.items()} == {"a": 0.3, "b": 0.2}


@pytest.mark.parametrize("content", ["no JSON", "[]", b"\xff"])
def test_a_file_that_holds_something_else_is_not_overwritten(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "relevance_calibration.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError, match="relevance_calibration"):
        store_calibration(path, "a", {"floor": 0.1, "ceiling": 0.9})


def test_a_file_that_cant_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="can't be written"):
        store_calibration(tmp_path / "missing" / "file.json", "a", {})
