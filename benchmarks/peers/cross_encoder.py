"""CrossEncoder's contenders; runs in the peers' environment: python -m peers.cross_encoder NAME CHECKPOINT THREADS."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import torch
from peers.export_scorer import FP32_FILE, INT8_FILE
from peers.serving import serve, serve_pairs
from sentence_transformers import CrossEncoder

if TYPE_CHECKING:
    from collections.abc import Callable


MAX_LENGTH = 512
TEMPERATURE = 1.5
REFERENCE_BATCH = 8
"""Batch size, temperature and length of the pipeline that profile `original` follows."""

ENTAILMENT = 0
"""Its column, by the checkpoint's id2label."""


class CrossEncoderScorer:
    """sentence-transformers' CrossEncoder, from texts to logits."""

    def __init__(self, model: CrossEncoder) -> None:
        self._model = model
        self._texts: list[tuple[str, str]] = []
        self._batch = 1

    def count(self, premise: str, hypothesis: str) -> int:
        """Count the tokens of a pair."""
        return len(self._model.tokenizer(premise, hypothesis)["input_ids"])

    def prepare(self, texts: list[tuple[str, str]], batch: int) -> None:
        """Keep the texts."""
        self._texts, self._batch = texts, batch

    def run(self) -> None:
        """Predict all pairs."""
        self._model.predict(self._texts, batch_size=self._batch, show_progress_bar=False)


def torch_encoder(checkpoint: Path, threads: int) -> CrossEncoder:
    """Load the checkpoint into torch; 0 threads leave torch's default."""
    if threads:
        torch.set_num_threads(threads)
    return CrossEncoder(str(checkpoint), device="cpu", max_length=MAX_LENGTH, activation_fn=torch.nn.Identity())


def onnx_encoder(checkpoint: Path, file: str, threads: int) -> CrossEncoder:
    """Load an export through CrossEncoder's own ONNX backend."""
    torch.set_num_threads(threads)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return CrossEncoder(
        str(checkpoint),
        device="cpu",
        max_length=MAX_LENGTH,
        activation_fn=torch.nn.Identity(),
        backend="onnx",
        model_kwargs={"file_name": file, "provider": "CPUExecutionProvider", "session_options": options},
    )


class ReferencePipeline:
    """Holds each sentence of an answer against every piece of the context; the piece that entails most decides."""

    def __init__(self, model: CrossEncoder) -> None:
        self._model = model

    def judge(self, sentences: list[str], pieces: list[str], **_: object) -> list[bool]:
        """Say for each sentence whether it is found entailed."""
        pairs = [(piece, sentence) for sentence in sentences for piece in pieces]
        logits = self._model.predict(pairs, batch_size=REFERENCE_BATCH, show_progress_bar=False) / TEMPERATURE
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        rows = (powers / powers.sum(axis=1, keepdims=True)).reshape(len(sentences), len(pieces), -1)
        best = rows[np.arange(len(rows)), rows[:, :, ENTAILMENT].argmax(axis=1)]
        return [bool(found) for found in best.argmax(axis=1) == ENTAILMENT]


CONTENDERS: dict[str, Callable[[Path, int], None]] = {
    "torch": lambda folder, threads: serve_pairs(CrossEncoderScorer(torch_encoder(folder, threads))),
    "onnx-fp32": lambda folder, threads: serve_pairs(CrossEncoderScorer(onnx_encoder(folder, FP32_FILE, threads))),
    "onnx-int8": lambda folder, threads: serve_pairs(CrossEncoderScorer(onnx_encoder(folder, INT8_FILE, threads))),
    "reference": lambda folder, threads: serve({"judge": ReferencePipeline(torch_encoder(folder, threads)).judge}),
}

if __name__ == "__main__":
    CONTENDERS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
