"""Natural language inference on the CPU: how far premises entail or contradict hypotheses."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.models.head import LABELS
from groundwire.models.pair_encoding import PairEncoder, Row
from groundwire.schemas.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groundwire.models.model_files import ModelFiles

TOKENS_PER_BATCH = 256
"""Most tokens of a batch, padding included, unless a single row is longer.

Measured with one thread: 128 to 512 tokens are about equally fast, more is slower, as a batch then outgrows the
processor's second-level cache. A small budget also bounds the memory that a worker needs.
"""

ROWS_PER_BATCH = 8
"""Most rows of a batch: beyond it short rows gain nothing either."""

ENTAILMENT = LABELS.index("entailment")


class NliEngine:
    """A loaded NLI model; load it in the process that uses it, never before a fork.

    Calls are deterministic, and a pair's result does not depend on the other pairs of the call.
    """

    def __init__(self, session: Any, encoder: PairEncoder, files: ModelFiles) -> None:  # noqa: ANN401 - untyped package
        """Use `NliEngine.load`."""
        self._session = session
        self._encoder = encoder
        self.model_id = files.model_id
        self.model_sha256 = files.sha256

    @classmethod
    def load(cls, files: ModelFiles, threads: int) -> NliEngine:
        """Load a model.

        Args:
            files: What `groundwire.models.catalogue.resolve` gives.
            threads: Threads of this process for one batch; see `groundwire.models.threads.threads_per_process`.

        Raises:
            ModelError: A file is missing or unusable, or a package is missing.
            SettingsError: `threads` is below 1.
        """
        encoder = PairEncoder(files.path_tokenizer, files.max_tokens)
        return cls(open_session(files, threads), encoder, files)

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
        if not (math.isfinite(temperature) and temperature > 0):
            raise SettingsError(f"temperature {temperature} can't be used: it must be a positive number")
        rows = self._encoder.rows(pairs)
        probabilities = softmax(self._run(rows, "logits", len(LABELS)) / np.float32(temperature))
        return _decide(rows, probabilities, len(pairs))

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

    def _run(self, rows: list[Row], output: str, columns: int) -> NDArray[np.float32]:
        results = np.empty((len(rows), columns), np.float32)
        for batch in batches([len(row.ids) for row in rows]):
            longest = max(len(rows[index].ids) for index in batch)
            ids = np.zeros((len(batch), longest), np.int64)
            mask = np.zeros_like(ids)
            for place, index in enumerate(batch):
                ids[place, : len(rows[index].ids)] = rows[index].ids
                mask[place, : len(rows[index].ids)] = 1
            results[batch] = self._session.run([output], {"input_ids": ids, "attention_mask": mask})[0]
        return results


def open_session(files: ModelFiles, threads: int) -> Any:  # noqa: ANN401 - onnxruntime ships no types
    """Open an onnxruntime session that uses as much of the machine as it is told to, and no more.

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
            str(files.path_onnx),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],  # slower than Add and LayerNormalization on CPUs
        )
    except Exception as error:  # onnxruntime's own classes share no public base
        raise ModelError(f"{files.path_onnx}: can't be loaded as a model ({type(error).__name__})") from error


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
