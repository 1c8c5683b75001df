"""Natural language inference on the CPU: how far premises entail or contradict hypotheses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from groundwire.models.head import LABELS
from groundwire.models.pair_cache import Answers, PairCache
from groundwire.models.pair_encoding import PairEncoder, Row
from groundwire.models.session import batches, open_session
from groundwire.schemas.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groundwire.models.model_files import ModelFiles

ENTAILMENT = LABELS.index("entailment")

LENGTH_STEP = 4
"""Rows are padded to a multiple of so many tokens. Sums over a row take so many numbers at a time, and what is left
over is added in another order: with none left over, a pair has the same answer to the last bit whichever pairs are in
its batch. Measured with AVX-512: otherwise one row in twelve differs, by up to 2e-7. It costs 2 % of the time."""


class NliEngine:
    """A loaded NLI model; load it in the process that uses it, never before a fork.

    Calls are deterministic, and a pair's result does not depend on the other pairs of the call.

    Attributes:
        model_id: Name of the model.
        model_sha256: Hash of its graph.
        tokens: Tokens that the model has read so far, control tokens included and padding not.
        padding: Tokens that it has read beside them to make the rows of a batch equally long.
    """

    def __init__(
        self,
        session: Any,  # noqa: ANN401 - untyped package
        encoder: PairEncoder,
        files: ModelFiles,
        remembered_pairs: int,
    ) -> None:
        """Use `NliEngine.load`."""
        self.model_id = files.model_id
        self.model_sha256 = files.sha256
        self.tokens = 0
        self.padding = 0
        self._session = session
        self._max_tokens = files.max_tokens
        self._encoder = encoder
        self._cache = PairCache(remembered_pairs, files.sha256)

    @classmethod
    def load(cls, files: ModelFiles, threads: int, remembered_pairs: int = 0) -> Self:
        """Load a model.

        Args:
            files: What `groundwire.models.catalogue.resolve` gives.
            threads: Threads of this process for one batch; see `groundwire.models.threads.threads_per_process`.
            remembered_pairs: Pairs whose probabilities are kept, so that they are not computed again; 0: none.

        Raises:
            ModelError: A file is missing or unusable, or a package is missing.
            SettingsError: `threads` is below 1, or `remembered_pairs` below 0.
        """
        encoder = PairEncoder(files.path_tokenizer, files.max_tokens)
        return cls(open_session(files.path_onnx, threads), encoder, files, remembered_pairs)

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without control tokens."""
        return len(self._encoder.text_ids(text))

    def score(self, pairs: Sequence[tuple[str, str]], temperature: float = 1.0) -> NDArray[np.float32]:
        """Score (premise, hypothesis) pairs.

        A pair that exceeds the model's length is scored in windows: of the windows of its premise the one that
        entails most decides, as evidence may stand anywhere; of the windows of its hypothesis the one that is
        entailed least, as all of it has to be supported.

        Args:
            pairs: Any number of pairs, none included; texts of any length.
            temperature: Positive divisor of the logits before the softmax.

        Returns:
            Probabilities, float32 [pairs, 3], columns entailment, neutral, contradiction.

        Raises:
            SettingsError: The temperature is not a positive finite number.
        """
        return self.answer(pairs, temperature).probabilities

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float = 1.0) -> Answers:
        """Score pairs as `score` does, and say how many of them were remembered.

        Raises:
            SettingsError: The temperature is not a positive finite number.
        """
        if not (math.isfinite(temperature) and temperature > 0):
            raise SettingsError(f"temperature {temperature} can't be used: it must be a positive number")
        return self._cache.answer(pairs, temperature, lambda new: self._compute(new, temperature))

    def pooled(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Give the encoder's vector of each pair, float32 [pairs, hidden], on which a head can be fitted.

        Raises:
            ModelError: A pair exceeds the model's length: there is no one vector for it.
        """
        rows = self._encoder.rows(pairs)
        if len(rows) > len(pairs):
            raise ModelError("a pair exceeds the model's length: leave it out of the data for fitting")
        hidden = next(output.shape[1] for output in self._session.get_outputs() if output.name == "pooled")
        return self._run(rows, "pooled", hidden)

    def _compute(self, pairs: Sequence[tuple[str, str]], temperature: float) -> NDArray[np.float32]:
        rows = self._encoder.rows(pairs)
        probabilities = softmax(self._run(rows, "logits", len(LABELS)) / np.float32(temperature))
        return _decide(rows, probabilities, len(pairs))

    def _run(self, rows: list[Row], output: str, columns: int) -> NDArray[np.float32]:
        results = np.empty((len(rows), columns), np.float32)
        widths = [min(-(-len(row.ids) // LENGTH_STEP) * LENGTH_STEP, self._max_tokens) for row in rows]
        for batch in batches(widths):
            longest = max(widths[index] for index in batch)
            ids = np.zeros((len(batch), longest), np.int64)
            mask = np.zeros_like(ids)
            for place, index in enumerate(batch):
                ids[place, : len(rows[index].ids)] = rows[index].ids
                mask[place, : len(rows[index].ids)] = 1
            read = int(mask.sum())
            self.tokens += read
            self.padding += mask.size - read
            results[batch] = self._session.run([output], {"input_ids": ids, "attention_mask": mask})[0]
        return results


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn the rows of logits into probabilities."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True)) if logits.size else logits
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def _decide(rows: list[Row], probabilities: NDArray[np.float32], pairs: int) -> NDArray[np.float32]:
    """Reduce the rows to one per pair: over premise windows the most entailing, over hypothesis windows the least."""
    best: dict[tuple[int, int], int] = {}
    for index, row in enumerate(rows):
        place = (row.pair, row.window)
        if place not in best or probabilities[index, ENTAILMENT] > probabilities[best[place], ENTAILMENT]:
            best[place] = index
    chosen: dict[int, int] = {}
    for (pair, _), index in best.items():
        if pair not in chosen or probabilities[index, ENTAILMENT] < probabilities[chosen[pair], ENTAILMENT]:
            chosen[pair] = index
    return probabilities[[chosen[pair] for pair in range(pairs)]]
