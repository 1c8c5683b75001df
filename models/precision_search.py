"""Finds out how much of a model can be int8: all of it, all but a few layers, or nothing."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.verification import Comparison, compare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from groundwire.models.deberta_graph import Precision

    Pairs = Sequence[tuple[str, str]]
    Try = Callable[[Precision, frozenset[int], Pairs], NDArray[np.float32]]

RANKING_PAIRS = 24
"""Pairs that tell which layers lose most in int8: those that lose most themselves are enough for an order."""

ROUNDS = 3
"""Tries with some layers in fp32: one layer, two, then four; a model that needs more gains little from int8."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found:
    """How to build a graph that stands for its model in fp32.

    Attributes:
        precision: `int8` or `fp32`.
        fp32_layers: Layers that stay in fp32 in int8.
        comparison: That graph against fp32.
        int8: Everything in int8 against fp32.
        probabilities: The graph's own, for all pairs.
        reference: Those of fp32.
    """

    precision: Precision
    fp32_layers: frozenset[int]
    comparison: Comparison
    int8: Comparison
    probabilities: NDArray[np.float32]
    reference: NDArray[np.float32]


class PrecisionSearch:
    """Looks for the most int8 that the comparison with fp32 lets pass.

    Args:
        attempt: Builds a graph of a precision, with some layers left in fp32, and gives its probabilities of pairs.
        layers: Number of the model's layers.
        pairs: What to compare on.
        name: The model's, for the log.
    """

    def __init__(self, attempt: Try, layers: int, pairs: Pairs, name: str) -> None:
        self._attempt, self._layers, self._pairs, self._name = attempt, layers, pairs, name

    def run(self) -> Found:
        """Try everything in int8, then all but a few layers, and settle for fp32 where neither passes."""
        none: frozenset[int] = frozenset()
        reference = self._attempt("fp32", none, self._pairs)
        found = self._attempt("int8", none, self._pairs)
        first = compare(found, reference)
        if first.passed:
            return Found("int8", none, first, first, found, reference)
        _log.warning("model %s can't be all int8 (%s): looking for layers to leave in fp32", self._name, first)
        worst = self._worst_first(found, reference)
        for kept in (frozenset(worst[: 2**number]) for number in range(ROUNDS)):
            if len(kept) == self._layers:
                break
            found = self._attempt("int8", kept, self._pairs)
            comparison = compare(found, reference)
            _log.warning("model %s with %s in fp32: %s", self._name, layer_list(sorted(kept)), comparison)
            if comparison.passed:
                return Found("int8", kept, comparison, first, found, reference)
        _log.warning("model %s stays in fp32: slower, and as exact as it was published", self._name)
        return Found("fp32", none, compare(reference, reference), first, reference, reference)

    def _worst_first(self, found: NDArray[np.float32], reference: NDArray[np.float32]) -> list[int]:
        """Order the layers by what each of them alone in int8 changes."""
        changes = np.nan_to_num(np.abs(found - reference).max(1), nan=1.0)
        rows = np.argsort(-changes, kind="stable")[:RANKING_PAIRS]
        sample = [self._pairs[row] for row in rows]
        harm = []
        for layer in range(self._layers):
            alone = self._attempt("int8", frozenset(range(self._layers)) - {layer}, sample)
            difference = np.abs(alone - reference[rows])
            harm.append(float(np.nan_to_num(difference, nan=1.0).mean()))
        return sorted(range(self._layers), key=lambda layer: -harm[layer])


def layer_list(layers: Sequence[int]) -> str:
    """Name layers in a message."""
    return f"layer{'s' * (len(layers) != 1)} {', '.join(map(str, layers))}"
