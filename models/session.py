"""Opens ONNX graphs on the CPU, and groups their inputs into batches: the same for every model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from groundwire.schemas.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TOKENS_PER_BATCH = 256
"""Most tokens of a batch, padding included, unless a single row is longer.

Measured with one thread: 128 to 512 tokens are about equally fast, more is slower, as a batch then outgrows the
processor's second-level cache. A small budget also bounds the memory that a worker needs.
"""

ROWS_PER_BATCH = 8
"""Most rows of a batch: beyond it short rows gain nothing either."""


def open_session(path_onnx: Path, threads: int) -> Any:  # noqa: ANN401 - onnxruntime ships no types
    """Open an onnxruntime session that uses as much of the machine as it is told to, and no more.

    Args:
        path_onnx: The graph.
        threads: Threads of this process for one batch.

    Raises:
        ModelError: The graph is missing or unusable, or the package onnxruntime is missing.
        SettingsError: `threads` is below 1.
    """
    if threads < 1:
        raise SettingsError(f"threads {threads} can't be used: a model needs at least 1")
    # onnxruntime sends usage data unless this is set before it is loaded
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime  # noqa: PLC0415 - importing groundwire.models stays light
    except ImportError as error:
        raise ModelError("scoring needs the package onnxruntime: pip install 'groundwire[worker]'") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # a thread that spins while it waits takes CPU time from the other worker processes
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(path_onnx),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],  # slower than Add and LayerNormalization on CPUs
        )
    except Exception as error:  # onnxruntime's own classes share no public base
        raise ModelError(f"{path_onnx}: can't be loaded as a model ({type(error).__name__})") from error


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group rows of like length, within TOKENS_PER_BATCH and ROWS_PER_BATCH; gives their indices.

    Args:
        lengths: Tokens of each row.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        # lengths rise, so the newcomer's is what every row of the batch is padded to
        if batch and (len(batch) == ROWS_PER_BATCH or (len(batch) + 1) * lengths[index] > TOKENS_PER_BATCH):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
