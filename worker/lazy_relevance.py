"""A relevance model that is loaded when something first asks for it: not every deployment computes what needs it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from groundwire.models.relevance import load_relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from groundwire.models.calibration import Calibration
    from groundwire.models.relevance import Relevance


class LazyRelevance:
    """Stands for a relevance model; whatever is asked of it loads the model.

    Args:
        name: `embedded`, or the path of a model's folder.
        threads: Threads of this process for one batch.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._name = name
        self._threads = threads

    @cached_property
    def model(self) -> Relevance:
        """The model.

        Raises:
            ModelError: It is missing, altered or has no calibration.
        """
        return load_relevance(self._name, self._threads)

    @property
    def model_id(self) -> str:
        """Name of the model."""
        return self.model.model_id

    @property
    def model_sha256(self) -> str:
        """Hash of its graph."""
        return self.model.model_sha256

    @property
    def calibration(self) -> Calibration:
        """The floor and ceiling that were fitted for it."""
        return self.model.calibration

    def relevance(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float32]:
        """Give the raw relevance of every passage to every query [queries, passages]."""
        return self.model.relevance(queries, passages)
