"""What a model's raw relevance means: the floor and ceiling that were fitted for it, and the files that hold them.

Cosines of one embedder are not those of another, and a reranker's numbers are no cosines at all. So each model has its
own pair, keyed by the SHA-256 of its graph: Groundwire's come with it, those of a model in a folder lie in that folder.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.resources import files as package_files
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.schemas.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from groundwire.models.relevance_files import RelevanceFiles

CALIBRATION_FILE = "relevance_calibration.json"
"""Name of the file, in Groundwire's own data and in a model's folder."""


@dataclass(frozen=True)
class Calibration:
    """The raw relevance that counts as none, and the one that counts as full.

    Attributes:
        floor: At and below it the calibrated relevance is 0.
        ceiling: At and above it the calibrated relevance is 1.

    Raises:
        SettingsError: One of them is not finite, or the ceiling is not above the floor.
    """

    floor: float
    ceiling: float

    def __post_init__(self) -> None:
        # the difference of two finite numbers can overflow
        width = self.ceiling - self.floor
        if not (math.isfinite(width) and width > 0):
            raise SettingsError(
                f"relevance floor {self.floor} and ceiling {self.ceiling} can't be used: both must be finite numbers, "
                "the ceiling above the floor"
            )

    def calibrate(self, raw: NDArray[np.float32] | NDArray[np.float64] | float) -> NDArray[np.float32]:
        """Map raw relevance linearly to 0..1, clipped; the result has the shape of `raw`.

        Args:
            raw: Finite relevances as the model gives them.
        """
        within = np.clip(np.asarray(raw, np.float64), self.floor, self.ceiling)
        return np.asarray((within - self.floor) / (self.ceiling - self.floor), np.float32)


RAW = Calibration(0.0, 1.0)
"""Leaves relevance as it is but for negative cosines: for a model that is about to be fitted."""


def stored_calibration(files: RelevanceFiles) -> Calibration:
    """Give the calibration that was fitted for a model.

    Raises:
        ModelError: There is none for this very graph, or its file is damaged.
    """
    record = _own_records() if files.folder is None else _records(files.folder / CALIBRATION_FILE)
    if files.sha256 not in record:
        raise ModelError(
            f"model {files.model_id} ({files.path_onnx}) has no relevance floor and ceiling yet; fit them: "
            f"python -m groundwire.models.fit_relevance DATA --model {files.folder or 'embedded'}"
        )
    try:
        entry = record[files.sha256]
        return Calibration(float(entry["floor"]), float(entry["ceiling"]))
    except (KeyError, TypeError, ValueError, SettingsError) as error:
        raise ModelError(f"{CALIBRATION_FILE} of model {files.model_id} is damaged ({error}); fit it again") from error


def store_calibration(path: Path, sha256: str, record: dict[str, Any]) -> None:
    """Write a model's record, `floor` and `ceiling` among it, beside those of other graphs in the same file.

    Raises:
        ModelError: The file holds something else, or can't be written.
    """
    records = _records(path) | {sha256: record}
    try:
        path.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", "utf-8")
    except OSError as error:
        raise ModelError(f"{path}: can't be written ({error.strerror})") from error


def _own_records() -> dict[str, Any]:
    text = package_files("groundwire.models").joinpath("data", CALIBRATION_FILE).read_text("utf-8")
    records: dict[str, Any] = json.loads(text)
    return records


def _records(path: Path) -> dict[str, Any]:
    try:
        records = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: can't be read as relevance calibrations ({type(error).__name__})") from error
    if not isinstance(records, dict):
        raise ModelError(f"{path}: holds no JSON object of relevance calibrations")
    return records
