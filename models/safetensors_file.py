"""Reads weights from files in the safetensors format, with numpy alone.

The format (https://github.com/huggingface/safetensors, "Format"): eight bytes with the length of a JSON header, the
header, and the values, whose places the header gives. It holds numbers and no code, unlike PyTorch's pickle files.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_LENGTH_BYTES = 8
_LARGEST_HEADER = 100_000_000
"""The limit of the format's own reader."""

_STORED = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""How numpy reads the bytes of each type; numpy has no bfloat16, so its bits are read as a whole number."""


def read_safetensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Read every floating-point tensor of a file as float32, by name.

    Tensors of whole numbers, such as position ids that old checkpoints hold, are left out: they are no weights.

    Raises:
        ModelError: The file is missing, truncated or no safetensors file.
    """
    try:
        header, start = _header(path)
        # a view of the file: no copy of what is gigabytes in large models
        values = np.memmap(path, np.uint8, mode="r", offset=start)
        return {name: _tensor(values, entry) for name, entry in header.items() if entry["dtype"] in _STORED}
    except OSError as error:
        raise ModelError(f"{path}: can't be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path}: truncated, or no safetensors file ({type(error).__name__}: {error}); get it again"
        ) from error


def _header(path: Path) -> tuple[dict[str, dict[str, Any]], int]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if not 0 < length <= _LARGEST_HEADER:
            raise ValueError(f"a header of {length} bytes")
        text = file.read(length)
    header: dict[str, dict[str, Any]] = json.loads(text)
    header.pop("__metadata__", None)
    return header, _LENGTH_BYTES + length


def _tensor(values: NDArray[np.uint8], entry: dict[str, Any]) -> NDArray[np.float32]:
    begin, end = entry["data_offsets"]
    if not 0 <= begin <= end <= values.size:
        raise ValueError(f"values at {begin} to {end} of {values.size} bytes")
    stored = values[begin:end].view(_STORED[entry["dtype"]])
    if entry["dtype"] == "BF16":
        # bfloat16 is the upper half of a float32
        stored = (stored.astype(np.uint32) << 16).view(np.float32)
    return np.asarray(stored, np.float32).reshape(tuple(entry["shape"]))
