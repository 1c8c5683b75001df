"""Disentangled attention (He et al., "DeBERTa", 2020, section 3.1) as nodes of an ONNX graph.

A score is the sum of three products: query and key of the contents, query and the key of the relative position, key
and the query of the relative position. Keys and queries of relative positions depend on the weights alone, so each
layer's are constants, already scaled; a run gathers a row for each of the 2L distances that a length L needs. Products
with them are read along their diagonals by a reshape and slices instead of a gather of single elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groundwire.models.deberta_config import DebertaConfig
    from groundwire.models.graph_writer import GraphWriter
    from groundwire.models.named_weights import NamedWeights

MASKED = -1e9
"""Added to the attention score of padding: far below any real score, far above float32's lowest."""

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


class DisentangledAttention:
    """Adds the attention of layers to a graph; what depends on the length L alone is added once, here."""

    def __init__(self, graph: GraphWriter, weights: NamedWeights, config: DebertaConfig, mask: str) -> None:
        """Add what all layers share.

        Args:
            graph: Where to add it.
            weights: Those of the whole model.
            config: Shape of the model.
            mask: Name of the attention mask as float32 [batch, L].
        """
        self._graph, self._weights, self._config = graph, weights, config
        parts = 1 + config.content_to_position + config.position_to_content
        self._scale = float(1 / np.sqrt(config.head_size * parts))
        g = graph
        absent = g.node("Sub", g.constant("one", np.float32(1)), mask)
        masked = g.node("Mul", absent, g.constant("masked", np.float32(MASKED)))
        self._key_mask = g.node("Unsqueeze", masked, g.integers(1, 2))
        self._relative = self._position_table()
        one = g.integers(1)
        self._length = g.node("Slice", g.node("Shape", "input_ids"), one, g.integers(2))
        width = g.node("Mul", self._length, g.integers(2))
        self._skewed_shape = g.node(
            "Concat", g.integers(0, config.heads), self._length, g.node("Sub", width, one), axis=0
        )
        # element c of a row stands for the distance L - c of query minus key, or c - L: one more than are needed
        rows, middle = relative_rows(config), config.max_tokens
        start = g.node("Sub", g.integers(middle), self._length)
        stop = g.node("Add", start, width)
        self._ascending = g.node("Slice", g.constant("ascending", rows), start, stop, g.integers(0))
        self._descending = g.node("Slice", g.constant("descending", rows[::-1]), start, stop, g.integers(0))

    def _position_table(self) -> NDArray[np.float32]:
        """Give the relative-position table as the projections see it, [2 * span, hidden]."""
        config, name = self._config, "deberta.encoder.LayerNorm"
        table = self._weights.get("deberta.encoder.rel_embeddings.weight", 2 * config.position_span, config.hidden)
        if not config.norm_positions:
            return table
        weight, bias = self._weights.norm(name, config.hidden)
        centred = table - table.mean(-1, keepdims=True)
        scaled = centred / np.sqrt(table.var(-1, keepdims=True) + config.epsilon)
        return np.asarray(scaled * weight + bias, np.float32)

    def _projection(self, layer: str, *names: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give weight and bias of the named projections of a layer's attention, side by side."""
        hidden = self._config.hidden
        pairs = [self._weights.linear(f"{layer}.attention.self.{name}", hidden, hidden) for name in names]
        return np.hstack([weight for weight, _ in pairs]), np.concatenate([bias for _, bias in pairs])

    def _positions(self, layer: str, name: str, rows: str) -> str:
        """Gather the scaled projections of relative positions, as [heads, rows, head_size]."""
        config = self._config
        prefix = "" if config.share_att_key else "pos_"
        weight, bias = self._projection(layer, f"{prefix}{name}_proj")
        projected = ((self._relative @ weight + bias) * self._scale).astype(np.float32)
        by_head = projected.reshape(-1, config.heads, config.head_size).transpose(1, 0, 2)
        return self._graph.node("Gather", self._graph.constant(f"{layer}.position_{name}", by_head), rows, axis=1)

    def _skew(self, scores: str) -> str:
        """Turn [batch, heads, L, 2L] into [.., L, L]: row i shifted by i, so that a column is one key."""
        g, heads = self._graph, self._config.heads
        # read as rows of 2L - 1, each row of 2L starts one element later than the row before it
        flat = g.node("Reshape", scores, g.integers(0, heads, -1))
        flat = g.node("Slice", flat, self._length, g.integers(END), g.integers(2))
        return g.node("Slice", g.node("Reshape", flat, self._skewed_shape), g.integers(0), self._length, g.integers(3))

    def _by_head(self, x: str) -> str:
        """Turn [batch, length, hidden] into [batch, heads, length, head_size]."""
        shape = self._graph.integers(0, 0, self._config.heads, self._config.head_size)
        return self._graph.node("Transpose", self._graph.node("Reshape", x, shape), perm=[0, 2, 1, 3])

    def of_all_rows(self, x: str, layer: str) -> str:
        """Add the attention of every token to every token; `x` and the result are [batch, L, hidden]."""
        g, config, hidden = self._graph, self._config, self._config.hidden
        query, key, value = (f"{layer}.{name}" for name in ("query", "key", "value"))
        joined = g.linear(
            x, f"{layer}.query_key_value", *self._projection(layer, "query_proj", "key_proj", "value_proj")
        )
        g.node("Split", joined, g.integers(hidden, hidden, hidden), outputs=[query, key, value], axis=2)
        bias = self._key_mask
        if config.content_to_position:
            keys = self._positions(layer, "key", self._descending)
            scores = self._skew(g.microsoft("FusedMatMul", self._by_head(query), keys, transB=1))
            bias = g.node("Add", scores, bias)
        if config.position_to_content:
            queries = self._positions(layer, "query", self._ascending)
            scores = self._skew(g.microsoft("FusedMatMul", self._by_head(key), queries, transB=1))
            bias = g.node("Add", g.node("Transpose", scores, perm=[0, 1, 3, 2]), bias)
        attend = "MultiHeadAttention"
        return g.microsoft(attend, query, key, value, "", "", bias, num_heads=config.heads, scale=self._scale)

    def of_first_row(self, x: str, layer: str) -> tuple[str, str]:
        """Add the attention of the first token alone; gives its result [batch, 1, hidden] and the first row of `x`."""
        g, config, hidden = self._graph, self._config, self._config.hidden
        row = g.node("Slice", x, g.integers(0), g.integers(1), g.integers(1))
        query = self._by_head(g.linear(row, f"{layer}.query", *self._projection(layer, "query_proj")))
        joined = g.linear(x, f"{layer}.key_value", *self._projection(layer, "key_proj", "value_proj"))
        g.node("Split", joined, g.integers(hidden, hidden), outputs=[f"{layer}.key", f"{layer}.value"], axis=2)
        key, value = self._by_head(f"{layer}.key"), self._by_head(f"{layer}.value")
        scores = g.microsoft("FusedMatMul", query, key, transB=1, alpha=self._scale)
        # of the distances from L down those from 0 on: the first token is query to every key behind it
        distances = g.node("Slice", self._descending, self._length, g.integers(END), g.integers(0))
        if config.content_to_position:
            keys = self._positions(layer, "key", distances)
            scores = g.node("Add", scores, g.microsoft("FusedMatMul", query, keys, transB=1))
        if config.position_to_content:
            products = g.node("Mul", key, self._positions(layer, "query", distances))
            sums = g.node("ReduceSum", products, g.integers(-1), keepdims=0)
            scores = g.node("Add", scores, g.node("Unsqueeze", sums, g.integers(2)))
        scores = g.node("Add", scores, self._key_mask)
        attended = g.node("MatMul", g.node("Softmax", scores, axis=-1), value)
        rows = g.node("Transpose", attended, perm=[0, 2, 1, 3])
        return g.node("Reshape", rows, g.integers(0, 0, hidden)), row
