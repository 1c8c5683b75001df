"""A cross-encoder: reads a query and a passage together and gives one number for how relevant the passage is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.text_windows import TextEncoder
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groundwire.models.calibration import Calibration
    from groundwire.models.relevance_files import RelevanceFiles
    from groundwire.models.window_runner import WindowRunner

LOGITS = "logits"
"""Output by which a graph is known to be a cross-encoder."""


class CrossEncoder:
    """A loaded reranker; load it in the process that uses it, never before a fork.

    Far slower than an embedder, as every pair is read anew.

    Attributes:
        model_id: Name of the model.
        model_sha256: SHA-256 of its graph.
        calibration: What its raw relevance means.
    """

    def __init__(self, files: RelevanceFiles, runner: WindowRunner, calibration: Calibration) -> None:
        """Set up a reranker on an open graph.

        Args:
            files: What `groundwire.models.relevance_files.resolve_relevance` gives.
            runner: Its graph.
            calibration: Its floor and ceiling.

        Raises:
            ModelError: The tokenizer is missing or unusable, or the graph is no reranker.
        """
        shape = runner.outputs.get(LOGITS)
        if shape is None or len(shape) != 2 or shape[1] != 1:  # noqa: PLR2004 - batch and the one number
            raise ModelError(f"{files.path_onnx}: is no reranker, which gives {LOGITS} [batch, 1]; it gives {shape}")
        self._runner = runner
        self._encoder = TextEncoder(files.path_tokenizer, files.max_tokens)
        self.model_id = files.model_id
        self.model_sha256 = files.sha256
        self.calibration = calibration

    def relevance(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float32]:
        """Score every query with every passage, each distinct pair once.

        A pair that exceeds the model's length is scored in windows: the best window of a passage counts, as what the
        query asks for may stand anywhere; over the windows of a query the mean is taken.

        Returns:
            The logistic function of the model's logits, float32 [queries, passages] in 0..1.

        Raises:
            ModelError: The graph fails on an input.
        """
        query_places, passage_places = _places(queries), _places(passages)
        encoded = [self._encoder.text_ids(text) for text in passage_places]
        rows = [
            (query, passage, *numbered)
            for query, ids in enumerate(map(self._encoder.text_ids, query_places))
            for passage, passage_ids in enumerate(encoded)
            for numbered in self._encoder.pair_windows(ids, passage_ids)
        ]
        values = np.zeros(len(rows), np.float32)
        for batch, logits, _ in self._runner.run([window for *_, window in rows], LOGITS):
            values[batch] = _logistic(np.asarray(logits[:, 0], np.float32))
        best: dict[tuple[int, int, int], float] = {}
        for (query, passage, number, _), value in zip(rows, values.tolist(), strict=True):
            key = (query, passage, number)
            best[key] = max(value, best.get(key, 0.0))
        sums = np.zeros((len(query_places), len(passage_places)), np.float32)
        counts = np.zeros_like(sums)
        for (query, passage, _), value in best.items():
            sums[query, passage] += value
            counts[query, passage] += 1
        scores = sums / np.maximum(counts, 1)
        rows_wanted = np.array([query_places[text] for text in queries], np.intp)
        columns_wanted = np.array([passage_places[text] for text in passages], np.intp)
        return np.asarray(scores[rows_wanted][:, columns_wanted], np.float32)


def _places(texts: Sequence[str]) -> dict[str, int]:
    return {text: place for place, text in enumerate(dict.fromkeys(texts))}


def _logistic(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    # by tanh, which does not overflow where exp does
    return np.asarray(0.5 * (1 + np.tanh(0.5 * logits)), np.float32)
