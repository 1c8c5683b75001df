"""Scores by relative position (He et al., "DeBERTa", 2020, section 3.1) as nodes of an ONNX graph.

The score of token i against token j is the product of a vector of token i with a constant row that belongs to their
distance alone. Rows of a table hold every distance that the model knows, one after the other, so that a block of n
neighbouring tokens needs one slice of L + n of them, wherever it stands. The product of the block with that slice holds
each token's scores shifted by one place against its neighbour's: they are read along the diagonal by two slices, which
copy rows, where a gather would copy single elements.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groundwire.models.graph_writer import QuantisedRows, quantised_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from groundwire.models.deberta_config import DebertaConfig
    from groundwire.models.graph_writer import GraphWriter

BLOCKS = 4
"""In so many blocks of tokens the scores are computed.

One block multiplies with 2L rows, of which every token uses another half; with four it is 1.25 L. Measured in
docs/engine.md: four are the fastest from 128 tokens on and cost nothing at 64.
"""

END = int(np.iinfo(np.int64).max)
"""As the end of a slice: to the end, however long that is."""


def relative_rows(config: DebertaConfig) -> NDArray[np.int64]:
    """Give the row of the relative-position table for each distance from -max_tokens to max_tokens.

    Near distances have a row each; with buckets farther ones share rows on a logarithmic scale. Computed in float32 as
    the published model does, as rounding decides between two rows.
    """
    distance = np.arange(-config.max_tokens, config.max_tokens + 1)
    bucket = distance.astype(np.float32)
    if config.position_buckets:
        middle, farthest = config.position_buckets // 2, config.max_relative_positions - 1
        magnitude = np.where(np.abs(distance) < middle, middle - 1, np.abs(distance))
        ratio = np.log((magnitude / middle).astype(np.float32)) / np.log(np.float32(farthest / middle))
        rank = np.ceil(ratio * np.float32(middle - 1)) + middle
        bucket = np.where(magnitude <= middle, distance, np.sign(distance) * rank)
    span = config.position_span
    return np.clip(bucket.astype(np.int64) + span, 0, 2 * span - 1)


class _Block(NamedTuple):
    """A block of tokens: where it begins and ends, its slice of the table, and the shapes that shift its rows."""

    start: str
    end: str
    size: str
    first_row: str
    last_row: str
    flat: str
    shifted: str


class RelativeScores:
    """Adds scores by relative position to a graph; what depends on the length L alone is added once, here."""

    def __init__(self, graph: GraphWriter, config: DebertaConfig) -> None:
        """Add what all layers share.

        Args:
            graph: Where to add it; its input `input_ids` is [batch, L].
            config: Shape of the model.
        """
        self._graph, self._config = graph, config
        g = graph
        shape = g.node("Shape", "input_ids")
        one = g.integers(1)
        self._batch = batch = g.node("Slice", shape, g.integers(0), one)
        self.length = g.node("Slice", shape, one, g.integers(2))
        self.split = g.node("Concat", batch, self.length, g.integers(config.heads, config.head_size), axis=0)
        self.row = g.node("Concat", batch, one, one, self.length, axis=0)
        self._column = g.node("Concat", batch, one, self.length, one, axis=0)
        multiples = [g.node("Mul", self.length, g.integers(number)) for number in range(1, BLOCKS)]
        inner = [g.node("Div", multiple, g.integers(BLOCKS)) for multiple in multiples]
        borders = [g.integers(0), *inner, self.length]
        self._blocks = [self._block(start, end) for start, end in pairwise(borders)]

    def _block(self, start: str, end: str) -> _Block:
        g, config = self._graph, self._config
        size = g.node("Sub", end, start)
        width = g.node("Add", self.length, size)
        # column c of the block's row r is token c - size + r: that of the first column has the distance `end`
        first_row = g.node("Sub", g.integers(config.max_tokens), end)
        last_row = g.node("Add", first_row, width)
        heads = g.integers(config.heads)
        flat = g.node("Concat", self._batch, heads, g.node("Mul", size, width), axis=0)
        shifted = g.node("Concat", self._batch, heads, size, g.node("Sub", width, g.integers(1)), axis=0)
        return _Block(start, end, size, first_row, last_row, flat, shifted)

    def by_head(self, x: str) -> str:
        """Turn [batch * L, hidden] into [batch, heads, L, head_size]."""
        return self._graph.node("Transpose", self._graph.node("Reshape", x, self.split), perm=[0, 2, 1, 3])

    def quantised_by_head(self, x: str) -> QuantisedRows:
        """Quantise [batch * L, hidden] by token; values [batch, heads, L, head_size], scales [batch, 1, L, 1]."""
        rows = self._graph.quantised(x)
        return QuantisedRows(
            self.by_head(rows.values), self._graph.node("Reshape", rows.scale, self._column), rows.zero
        )

    def add(self, tokens: str, name: str, table: NDArray[np.float32], zero: str = "") -> str:
        """Add the scores of every token i against every token j, [batch, heads, L, L].

        Args:
            tokens: The tokens' vectors, [batch, heads, L, head_size]; as bytes where `zero` is given.
            name: Name of the table among the graph's constants.
            table: Float32 [heads, head_size, 2 * max_tokens + 1]: column max_tokens + d holds the vector for tokens i
                and j with j - i = d.
            zero: What 0 is stored as; the scores then still have to be multiplied by the tokens' scales.
        """
        g = self._graph
        if not zero:
            values = g.constant(name, table)
            return self._of_blocks(lambda block: g.node("MatMul", *self._factors(block, tokens, values)))
        quantised, table_scales = quantised_columns(table)
        values, scales = g.constant(name, quantised), g.constant(name + ".scale", table_scales)

        def product(block: _Block) -> str:
            factors = self._factors(block, tokens, values)
            one = g.constant("one", np.float32(1))
            return g.microsoft("MatMulIntegerToFloat", *factors, one, self._columns(block, scales), zero)

        return self._of_blocks(product)

    def _of_blocks(self, product: Callable[[_Block], str]) -> str:
        """Join the blocks' scores, of which `product` gives those of one: [batch, heads, size, L + size]."""
        parts = [self._along_diagonals(product(block), block) for block in self._blocks]
        return self._graph.node("Concat", *parts, axis=2)

    def _factors(self, block: _Block, tokens: str, values: str) -> tuple[str, str]:
        """Give a block's tokens and its slice of the table."""
        part = self._graph.node("Slice", tokens, block.start, block.end, self._graph.integers(2))
        return part, self._columns(block, values)

    def _columns(self, block: _Block, table: str) -> str:
        g = self._graph
        return g.node("Slice", table, block.first_row, block.last_row, g.integers(2))

    def _along_diagonals(self, scores: str, block: _Block) -> str:
        """Turn [batch, heads, size, L + size] into [.., L]: row r begins r places earlier, a column is one token."""
        g = self._graph
        # read as rows that are one element shorter, each begins one element later than the row before it; of fewer
        # tokens than blocks some blocks are empty, hence allowzero
        flat = g.node("Reshape", scores, block.flat, allowzero=1)
        flat = g.node("Slice", flat, block.size, g.integers(END), g.integers(2))
        shifted = g.node("Reshape", flat, block.shifted, allowzero=1)
        return g.node("Slice", shifted, g.integers(0), self.length, g.integers(3))
