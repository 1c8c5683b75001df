"""Asks the relevance model for the texts of a job, each different pair once, and keeps the time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from groundwire.schemas import ModelError
from groundwire.worker.scoring.asking import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groundwire.models.relevance import Relevance


class RelevanceAsker:
    """Remembers what it was told, so that metrics can ask for the same sentences without paying twice.

    Attributes:
        model: The relevance model.
        seconds: Time that the model took.
    """

    def __init__(self, model: Relevance) -> None:
        self.model = model
        self.seconds = 0.0
        self._known: dict[tuple[str, str], float] = {}

    def raw(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float64]:
        """Give the raw relevance of every passage to every query [queries, passages].

        Raises:
            ModelError: The model gave something that is no relevance.
        """
        new_queries = [
            q for q in dict.fromkeys(queries) if any((q, passage) not in self._known for passage in passages)
        ]
        if new_queries:
            new = [p for p in dict.fromkeys(passages) if any((query, p) not in self._known for query in new_queries)]
            values = self._from_model(new_queries, new)
            self._known.update(
                ((query, passage), value)
                for query, row in zip(new_queries, values, strict=True)
                for passage, value in zip(new, row, strict=True)
            )
        known = [[self._known[query, passage] for passage in passages] for query in queries]
        return np.array(known, np.float64).reshape(len(queries), len(passages))

    def _from_model(self, queries: list[str], passages: list[str]) -> list[list[float]]:
        started = time.perf_counter()
        values = np.asarray(self.model.relevance(queries, passages), np.float64)
        self.seconds += time.perf_counter() - started
        expected = (len(queries), len(passages))
        if values.shape != expected or not np.isfinite(values).all():
            problem = "values that are not finite" if values.shape == expected else f"shape {values.shape}"
            raise ModelError(
                f"the relevance model gave {problem} for {expected[0]} texts and {expected[1]} passages: check it with "
                "`groundwire models verify`"
            )
        rows: list[list[float]] = values.round(DECIMALS).tolist()
        return rows
