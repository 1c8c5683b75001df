"""Texts to vectors whose scalar product says how alike their meaning is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.models.text_windows import TextEncoder
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groundwire.models.relevance_files import RelevanceFiles
    from groundwire.models.window_runner import WindowRunner

POOLED_OUTPUT = "sentence_embedding"
"""Output of exports that pool by themselves."""

SMALLEST_NORM = 1e-12
"""Keeps a vector of zeros from being divided by zero."""

_TOKEN_VECTORS_RANK = 3


class SentenceEmbedder:
    """A loaded sentence embedder; load it in the process that uses it, never before a fork.

    Calls are deterministic, and a text's vector does not depend on the other texts of the call.

    Attributes:
        model_id: Name of the model.
        model_sha256: SHA-256 of its graph.
        size: Length of a vector.
    """

    def __init__(self, files: RelevanceFiles, runner: WindowRunner) -> None:
        """Set up an embedder on an open graph.

        Args:
            files: What `groundwire.models.relevance_files.resolve_relevance` gives.
            runner: Its graph.

        Raises:
            ModelError: The tokenizer is missing or unusable, or the graph is no embedder or fails.
        """
        self._runner = runner
        self._encoder = TextEncoder(files.path_tokenizer, files.max_tokens)
        self._pooling = files.pooling
        self._output = _vector_output(runner, files)
        self.model_id = files.model_id
        self.model_sha256 = files.sha256
        # the graph may leave the size open, and one that can't run is better known now than at the first job
        _, values, mask = next(iter(runner.run(self._encoder.text_windows(""), self._output)))
        self.size = self._pooled(values, mask).shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, each distinct one once.

        Token vectors are pooled as the model was trained (Reimers and Gurevych, "Sentence-BERT", 2019, section 3). A
        text that exceeds the model's length is never cut short: it gets the mean of its windows' vectors.

        Args:
            texts: Any number of texts of any length, none and blank ones included.

        Returns:
            Unit vectors, float32 [texts, size].

        Raises:
            ModelError: The graph fails on an input.
        """
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        windows = [(place, window) for text, place in places.items() for window in self._encoder.text_windows(text)]
        owners = np.array([place for place, _ in windows], np.intp)
        sums = np.zeros((len(places), self.size), np.float32)
        for batch, values, mask in self._runner.run([window for _, window in windows], self._output):
            np.add.at(sums, owners[batch], _unit(self._pooled(values, mask)))
        return _unit(sums)[np.array([places[text] for text in texts], np.intp)]

    def _pooled(self, values: Any, mask: NDArray[np.int64]) -> NDArray[np.float32]:  # noqa: ANN401 - untyped package
        if values.ndim != _TOKEN_VECTORS_RANK:
            return np.asarray(values, np.float32)
        if self._pooling == "cls":
            return np.asarray(values[:, 0], np.float32)
        weights = mask[..., None].astype(np.float32)
        return np.asarray((values * weights).sum(1) / weights.sum(1), np.float32)


def _vector_output(runner: WindowRunner, files: RelevanceFiles) -> str:
    """Choose the output to read: vectors that the graph has pooled, else those of the tokens."""
    if POOLED_OUTPUT in runner.outputs:
        return POOLED_OUTPUT
    for name, shape in runner.outputs.items():
        if len(shape) == _TOKEN_VECTORS_RANK:
            return name
    raise ModelError(
        f"{files.path_onnx}: none of its outputs {', '.join(runner.outputs)} holds token vectors "
        f"[batch, length, size] or {POOLED_OUTPUT}"
    )


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, SMALLEST_NORM), np.float32)
