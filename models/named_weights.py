"""Weights of a checkpoint by name, each checked against the shape that the model's configuration asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


class NamedWeights:
    """Gives weights as matrix products take them: those of linear layers as [inputs, outputs]."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Wrap weights in the layout of a transformers checkpoint."""
        self._weights = weights

    def get(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Give a weight as it is stored.

        Raises:
            ModelError: There is none, or it has another shape.
        """
        if name not in self._weights:
            raise ModelError(
                f"the checkpoint has no weight {name!r}: it has to be that of a DebertaV2ForSequenceClassification"
            )
        values = self._weights[name]
        if values.shape != shape:
            raise ModelError(
                f"the checkpoint's weight {name!r} has the shape {list(values.shape)}, and config.json asks for "
                f"{list(shape)}: they are not of the same model"
            )
        return np.asarray(values, np.float32)

    def linear(self, name: str, outputs: int, inputs: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give weight [inputs, outputs] and bias [outputs] of a linear layer."""
        return self.get(f"{name}.weight", outputs, inputs).T, self.get(f"{name}.bias", outputs)

    def norm(self, name: str, size: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give weight and bias of a layer normalisation, each [size]."""
        return self.get(f"{name}.weight", size), self.get(f"{name}.bias", size)
