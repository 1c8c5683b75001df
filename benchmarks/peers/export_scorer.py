"""An exported graph in onnxruntime; runs in the peers' environment, without torch.

Started as python -m peers.export_scorer FILE CHECKPOINT THREADS.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from peers.serving import serve_pairs
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

FP32_FILE, INT8_FILE = "onnx/model.onnx", "onnx/model_int8.onnx"
"""Where the exports lie in a checkpoint's folder, as on the Hugging Face Hub."""


def open_export(path: Path, threads: int) -> Any:  # noqa: ANN401 - onnxruntime ships no types
    """Open an export with onnxruntime's defaults, but for the number of threads; 0 is one for each core."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class ExportScorer:
    """An exported graph in onnxruntime, fed with token ids that were made before the clock starts."""

    def __init__(self, checkpoint: Path, file: str, threads: int) -> None:
        self._session = open_export(checkpoint / file, threads)
        self._tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
        self._batches: list[dict[str, NDArray[np.int64]]] = []

    def count(self, premise: str, hypothesis: str) -> int:
        """Count the tokens of a pair."""
        return len(self._tokenizer.encode(premise, hypothesis).ids)

    def prepare(self, texts: list[tuple[str, str]], batch: int) -> None:
        """Tokenise; the pairs are equally long, so there is no padding."""
        ids = np.array([encoding.ids for encoding in self._tokenizer.encode_batch(texts)], np.int64)
        parts = [ids[start : start + batch] for start in range(0, len(ids), batch)]
        self._batches = [{"input_ids": part, "attention_mask": np.ones_like(part)} for part in parts]

    def run(self) -> None:
        """Run all batches."""
        for feed in self._batches:
            self._session.run(["logits"], feed)

    def logits(self, texts: list[tuple[str, str]]) -> NDArray[np.float32]:
        """Give the logits of pairs of any length, each run alone: float32 [pairs, labels]."""
        rows = [np.array([self._tokenizer.encode(*pair).ids], np.int64) for pair in texts]
        feeds = [{"input_ids": row, "attention_mask": np.ones_like(row)} for row in rows]
        return np.concatenate([self._session.run(["logits"], feed)[0] for feed in feeds])


if __name__ == "__main__":
    serve_pairs(ExportScorer(Path(sys.argv[2]), sys.argv[1], int(sys.argv[3])))
