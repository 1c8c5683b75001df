"""How relevant passages are to texts: one interface over embedders and rerankers."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import numpy as np

from groundwire.models.calibration import Calibration, stored_calibration
from groundwire.models.embedder import SentenceEmbedder
from groundwire.models.relevance_files import EMBEDDED, resolve_relevance
from groundwire.models.reranker import LOGITS, CrossEncoder
from groundwire.models.window_runner import WindowRunner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MEMORY_TEXTS = 4096
"""Vectors that `EmbeddingRelevance` keeps: about 6 MB of them at 384 numbers each, and their texts beside them."""


class Relevance(Protocol):
    """Tells how relevant passages are to queries; a query may be a question or a sentence of an answer."""

    @property
    def model_id(self) -> str:
        """Name of the model, as results state it."""
        ...

    @property
    def model_sha256(self) -> str:
        """SHA-256 of the model's graph, as results state it."""
        ...

    @property
    def calibration(self) -> Calibration:
        """Floor and ceiling that were fitted for this model; `calibration.calibrate(raw)` gives 0..1."""
        ...

    def relevance(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float32]:
        """Give the raw relevance of every passage to every query, float32 [queries, passages].

        Between -1 and 1 for an embedder, 0 and 1 for a reranker; no queries or no passages are allowed.
        """
        ...


class EmbeddingRelevance:
    """Relevance as the cosine between the vectors of an embedder.

    It remembers the vectors of the texts it saw last, so a job's sentences are embedded once however often they are
    asked about, and a chunk that many jobs retrieve is mostly embedded once too. Not safe for use by several threads.

    Attributes:
        model_id: Name of the embedder.
        model_sha256: SHA-256 of its graph.
        calibration: What its cosines mean.
    """

    def __init__(self, embedder: SentenceEmbedder, calibration: Calibration, memory_texts: int = MEMORY_TEXTS) -> None:
        """Wrap an embedder.

        Args:
            embedder: Gives unit vectors.
            calibration: Its floor and ceiling.
            memory_texts: Most texts whose vectors are kept between calls.
        """
        self._embedder = embedder
        self._memory: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._memory_texts = memory_texts
        self.model_id = embedder.model_id
        self.model_sha256 = embedder.model_sha256
        self.calibration = calibration

    def relevance(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float32]:
        """Give the cosine of every query with every passage, float32 [queries, passages] in -1..1.

        Raises:
            ModelError: The graph fails on an input.
        """
        vectors = self._vectors([*queries, *passages])
        cosines = vectors[: len(queries)] @ vectors[len(queries) :].T
        return np.asarray(np.clip(cosines, -1.0, 1.0), np.float32)

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self._embedder.size), np.float32)
        known = {text: self._memory[text] for text in texts if text in self._memory}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        # copies, as a row that is a view would keep its whole matrix in memory
        known.update((text, row.copy()) for text, row in zip(new, self._embedder.embed(new), strict=True))
        for text in texts:
            self._memory[text] = known[text]
            self._memory.move_to_end(text)
        while len(self._memory) > self._memory_texts:
            self._memory.popitem(last=False)
        return np.stack([known[text] for text in texts])


def load_relevance(model: str = EMBEDDED, threads: int = 1, calibration: Calibration | None = None) -> Relevance:
    """Load the model that a setting names; what it is shows in its graph's outputs.

    Args:
        model: `embedded`, or the path of a folder with an ONNX embedder or reranker.
        threads: Threads of this process for one batch.
        calibration: Floor and ceiling to use; default those that were fitted for the model.

    Raises:
        ModelError: The model is unknown, unusable or has no calibration, or a package is missing.
        SettingsError: `threads` is below 1.
    """
    files = resolve_relevance(model)
    # before the graph is opened: a model without one is refused at once
    fitted = calibration or stored_calibration(files)
    runner = WindowRunner(files, threads)
    if LOGITS in runner.outputs:
        return CrossEncoder(files, runner, fitted)
    return EmbeddingRelevance(SentenceEmbedder(files, runner), fitted)
