"""The three-way classification head that Groundwire puts on the embedded model's encoder."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

HEAD_FILE = "nli_head.json"
LABELS = ("entailment", "neutral", "contradiction")
"""Order of the head's columns, and of every probability row of Groundwire."""


@dataclass(frozen=True)
class Head:
    """Logits are `pooled @ weight + bias`.

    Attributes:
        weight: float32 [hidden, 3].
        bias: float32 [3].
    """

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]

    @property
    def sha256(self) -> str:
        """Hash of the numbers alone, so that an edited note on provenance does not ask for another build."""
        digest = hashlib.sha256()
        for values in (self.weight, self.bias):
            digest.update(np.ascontiguousarray(values, "<f4").tobytes())
        return digest.hexdigest()


def encode_array(values: NDArray[np.float32]) -> str:
    """Write float32 values as base64 of their little-endian bytes, exactly."""
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode("ascii")


def read_head_record(path: Path | None = None) -> dict[str, Any]:
    """Read the head's file: numbers, provenance and measured accuracies.

    Args:
        path: Another file than the one that comes with Groundwire.
    """
    source = path or files("groundwire.models") / "data" / HEAD_FILE
    try:
        record = json.loads(source.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{source}: the classification head can't be read ({error}); reinstall groundwire") from error
    if not isinstance(record, dict):
        raise ModelError(f"{source}: the classification head must be a JSON object; reinstall groundwire")
    return record


def load_head(path: Path | None = None) -> Head:
    """Read the fitted head.

    Raises:
        ModelError: The file is missing, or its numbers do not have the shape of a head.
    """
    record = read_head_record(path)
    try:
        if tuple(record["labels"]) != LABELS:
            raise ModelError(f"{HEAD_FILE}: labels are {record['labels']}, expected {list(LABELS)}")
        weight, bias = (np.frombuffer(base64.b64decode(record[key]), "<f4") for key in ("weight", "bias"))
        return Head(weight.reshape(-1, len(LABELS)).astype(np.float32), bias.reshape(len(LABELS)).astype(np.float32))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{HEAD_FILE}: not a classification head ({error}); reinstall groundwire") from error
