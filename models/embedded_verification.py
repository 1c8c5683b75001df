"""Compares the embedded model in int8 with itself in fp32, on this machine."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.atomic_files import write_atomically
from groundwire.models.build_cache import build_embedded
from groundwire.models.nli_engine import NliEngine
from groundwire.models.verification import Comparison, compare, verification_pairs
from groundwire.models.verification_record import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groundwire.models.model_files import ModelFiles


def verify_embedded(files: ModelFiles, threads: int) -> Comparison:
    """Compare the embedded model with fp32.

    The answers of fp32 are kept beside the model: they take half a minute, as its graph has to be built for them.

    Args:
        files: The built model.
        threads: Threads to run it with.

    Raises:
        ModelError: The package that it is built from is missing or altered.
    """
    pairs = verification_pairs()
    path = files.path_onnx.with_name(f"fp32-answers-{pairs.sha256[:16]}.json")
    try:
        reference = np.array(json.loads(path.read_bytes()), np.float32).reshape(len(pairs.pairs), -1)
    except (OSError, ValueError):
        reference = _fp32_answers(path, threads)
    return compare(NliEngine.load(files, threads).score(pairs.pairs), reference)


def _fp32_answers(path: Path, threads: int) -> NDArray[np.float32]:
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fp32-") as scratch:
        answers = NliEngine.load(build_embedded("fp32", Path(scratch)), threads).score(verification_pairs().pairs)
    write_atomically(path, json.dumps(rows_of(answers)).encode())
    return answers
