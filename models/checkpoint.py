"""From a transformers checkpoint to the weights that the graph builder takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.models.head import LABELS
from groundwire.models.safetensors_file import read_safetensors
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from groundwire.models.model_source import ModelSource

CLASSIFIER = ("classifier.weight", "classifier.bias")
"""The last layer, from the pooled vector to the logits, a row for each."""


def read_checkpoint(source: ModelSource) -> dict[str, NDArray[np.float32]]:
    """Read a checkpoint's weights.

    Returns:
        Float32 by their names and in their layout in the checkpoint, but with the rows of the classifier in the order
        entailment, neutral, contradiction.

    Raises:
        ModelError: A file is damaged, or there is no classifier with three labels.
    """
    weights = {name: values for path in source.weights for name, values in read_safetensors(path).items()}
    for name in CLASSIFIER:
        if name not in weights:
            raise ModelError(
                f"model {source.name}: has no {name}, so it is an encoder that was never trained to classify; "
                "use a model that was fine-tuned on NLI"
            )
        if len(weights[name]) != len(LABELS):
            raise ModelError(
                f"model {source.name}: its classifier gives {len(weights[name])} logits, but its id2label names "
                f"{len(LABELS)} labels; its config.json and its weights do not belong together"
            )
        weights[name] = weights[name][list(source.columns)]
    return weights
