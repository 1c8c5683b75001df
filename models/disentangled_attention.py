"""Disentangled attention (He et al., "DeBERTa", 2020, section 3.1) as nodes of an ONNX graph.

A score is the sum of three products: query and key of the contents, query and the key of the relative position, key
and the query of the relative position. Keys and queries of relative positions depend on the weights alone, so each
layer's are constants, already scaled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.relative_scores import RelativeScores, relative_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groundwire.models.deberta_config import DebertaConfig
    from groundwire.models.graph_writer import GraphWriter, QuantisedRows
    from groundwire.models.named_weights import NamedWeights

MASKED = -1e9
"""Added to the attention score of padding: far below any real score, far above float32's lowest."""


class DisentangledAttention:
    """Adds the attention of layers to a graph; what depends on batch and length alone is added once, here."""

    def __init__(self, graph: GraphWriter, weights: NamedWeights, config: DebertaConfig) -> None:
        """Add what all layers share.

        Args:
            graph: Where to add it; its inputs `input_ids` and `attention_mask` are [batch, L].
            weights: Those of the whole model.
            config: Shape of the model.
        """
        self._graph, self._weights, self._config = graph, weights, config
        parts = 1 + config.content_to_position + config.position_to_content
        self._scale = np.float32(1 / np.sqrt(config.head_size * parts))
        self._relative = RelativeScores(graph, config)
        self._table = self._position_table()
        rows = relative_rows(config)
        # of query minus key, from the query's side and from the key's
        self._falling, self._rising = rows[::-1], rows
        g = graph
        self._mask = g.node("Cast", "attention_mask", to=g.INT32)
        # added to the scores of padding, [batch, 1, 1, L]
        absent = g.node("Sub", g.constant("one", np.float32(1)), g.node("Cast", "attention_mask", to=g.FLOAT))
        absent = g.node("Mul", absent, g.constant("masked", np.float32(MASKED)))
        self._absent = g.node("Unsqueeze", absent, g.integers(1, 2))
        self._joined = g.node("Concat", g.node("Shape", "input_ids"), g.integers(config.hidden), axis=0)

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

    def _projection(self, layer: str, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        hidden = self._config.hidden
        return self._weights.linear(f"{layer}.attention.self.{name}_proj", hidden, hidden)

    def _positions(self, layer: str, name: str, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Give the scaled projections of relative positions, [heads, head_size, rows]."""
        config = self._config
        prefix = "" if config.share_att_key else "pos_"
        weight, bias = self._projection(layer, f"{prefix}{name}")
        projected = ((self._table @ weight + bias) * self._scale).astype(np.float32)
        return projected[rows].reshape(-1, config.heads, config.head_size).transpose(1, 2, 0)

    def _inputs(self, layer: str, *names: str) -> dict[str, tuple[NDArray[np.float32], NDArray[np.float32] | None]]:
        """Give weights and biases by name; the value's bias is left to `output`."""
        found = {f"{layer}.{name}": self._projection(layer, name) for name in names}
        return {name: (weight, None if name.endswith("value") else bias) for name, (weight, bias) in found.items()}

    def of_all_rows(self, x: str, layer: str) -> str:
        """Add the attention of every token to every token; `x` and the result are [batch * L, hidden]."""
        g = self._graph
        query, key, value = g.linears(x, self._inputs(layer, "query", "key", "value"))
        attended = (self._of_bytes if g.int8 else self._of_floats)(query, key, value, layer)
        return self._output(g.node("Reshape", attended, g.integers(-1, self._config.hidden)), layer)

    def _of_floats(self, query: str, key: str, value: str, layer: str) -> str:
        """Add what the fp32 attention reads from the values, [batch, L, hidden]."""
        g, config = self._graph, self._config
        scores = []
        if config.content_to_position:
            table = self._positions(layer, "key", self._falling)
            scores.append(self._relative.add(self._relative.by_head(query), f"{layer}.position_key", table))
        if config.position_to_content:
            table = self._positions(layer, "query", self._rising)
            of_keys = self._relative.add(self._relative.by_head(key), f"{layer}.position_query", table)
            scores.append(g.node("Transpose", of_keys, perm=[0, 1, 3, 2]))
        bias = g.node("Add", *scores) if len(scores) > 1 else "".join(scores)
        query, key, value = (g.node("Reshape", one, self._joined) for one in (query, key, value))
        return g.microsoft(
            "MultiHeadAttention",
            *(query, key, value, "", self._mask, bias),
            num_heads=config.heads,
            scale=float(self._scale),
            mask_filter_value=MASKED,
        )

    def _of_bytes(self, query: str, key: str, value: str, layer: str) -> str:
        """Add what attention with scores from int8 products reads from the values, [batch, L, heads, head_size].

        Queries are quantised once for the products with keys and with positions, so that both sums get the queries'
        scales in one pass.
        """
        g, config = self._graph, self._config
        queries = self._relative.quantised_by_head(query)
        scores = self._products(queries, key)
        if config.content_to_position:
            table = self._positions(layer, "key", self._falling)
            of_queries = self._relative.add(queries.values, f"{layer}.position_key", table, queries.zero)
            scores = g.node("Add", of_queries, scores)
        scores = g.node("Mul", scores, queries.scale)
        if config.position_to_content:
            table = self._positions(layer, "query", self._rising)
            keys = self._relative.quantised_by_head(key)
            of_keys = self._relative.add(keys.values, f"{layer}.position_query", table, keys.zero)
            of_keys = g.node("Transpose", g.node("Mul", of_keys, keys.scale), perm=[0, 1, 3, 2])
            scores = g.node("Add", scores, of_keys)
        shares = g.node("Softmax", g.node("Add", scores, self._absent), axis=-1)
        return g.node("Transpose", g.node("MatMul", shares, self._relative.by_head(value)), perm=[0, 2, 1, 3])

    def _products(self, queries: QuantisedRows, key: str) -> str:
        """Add the products of queries and keys, [batch, heads, L, L], not yet multiplied by the queries' scales.

        Keys are the second factor here and so need signed bytes: two unsigned factors take twice the time.
        """
        g = self._graph
        rows = g.quantised(key, signed=True)
        keys = g.node("Reshape", rows.values, self._relative.split)
        scales = g.node("Mul", g.node("Reshape", rows.scale, self._relative.row), g.constant("scale", self._scale))
        scales = g.node("Expand", scales, g.integers(1, self._config.heads, 1, 1))
        factors = queries.values, g.node("Transpose", keys, perm=[0, 2, 3, 1])
        return g.microsoft("MatMulIntegerToFloat", *factors, g.constant("one", np.float32(1)), scales, queries.zero)

    def of_first_row(self, x: str, layer: str) -> tuple[str, str]:
        """Add the attention of the first token alone; gives its result [batch, hidden] and the first row of `x`."""
        g, config = self._graph, self._config
        tokens = g.node("Reshape", x, self._joined)
        row = g.node("Gather", tokens, g.constant("first_token", np.array(0, np.int64)), axis=1)
        [query] = g.linears(row, self._inputs(layer, "query"))
        query = g.node("Reshape", query, g.integers(-1, config.heads, 1, config.head_size))
        key, value = (self._relative.by_head(one) for one in g.linears(x, self._inputs(layer, "key", "value")))
        scores = g.microsoft("FusedMatMul", query, key, transB=1, alpha=float(self._scale))
        # the first token is query to every key behind it: of the distances those from 0 downwards
        distances = self._falling[config.max_tokens : 2 * config.max_tokens]
        if config.content_to_position:
            keys = g.constant(f"{layer}.position_key", self._positions(layer, "key", distances))
            keys = g.node("Slice", keys, g.integers(0), self._relative.length, g.integers(2))
            scores = g.node("Add", scores, g.node("MatMul", query, keys))
        if config.position_to_content:
            queries = self._positions(layer, "query", distances).transpose(0, 2, 1)
            queries_name = g.constant(f"{layer}.position_query", queries)
            queries_name = g.node("Slice", queries_name, g.integers(0), self._relative.length, g.integers(1))
            sums = g.node("ReduceSum", g.node("Mul", key, queries_name), g.integers(-1), keepdims=0)
            scores = g.node("Add", scores, g.node("Unsqueeze", sums, g.integers(2)))
        scores = g.node("Add", scores, self._absent)
        attended = g.node("MatMul", g.node("Softmax", scores, axis=-1), value)
        return self._output(g.node("Reshape", attended, g.integers(-1, config.hidden)), layer), row

    def _output(self, attended: str, layer: str) -> str:
        """Add the output projection.

        The bias of the values goes into its bias: a token's shares of attention add up to 1, so the bias comes through
        attention as it is.
        """
        hidden = self._config.hidden
        name = f"{layer}.attention.output.dense"
        weight, bias = self._weights.linear(name, hidden, hidden)
        # in double precision: the order of the additions depends on where numpy finds the array in memory, and the same
        # weights have to give the same bytes
        through = self._projection(layer, "value")[1].astype(np.float64) @ weight.astype(np.float64)
        [output] = self._graph.linears(attended, {name: (weight, (bias + through).astype(np.float32))})
        return output
