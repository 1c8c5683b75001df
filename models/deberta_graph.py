"""DeBERTa-v3 sequence classification as an ONNX graph, built from its weights with numpy and onnx alone.

The graph takes any batch and length, and computes what the published model does (He et al., "DeBERTaV3", 2021, and
"DeBERTa", 2020, section 3.1 for the disentangled attention) in a form that suits a CPU:

- Keys and queries of relative positions depend on the weights alone, so each layer's are constants; a run gathers the
  2L-1 rows that a length L needs.
- Relative scores are read along their diagonals by a reshape and two slices instead of a gather of single elements.
- Query, key and value are one matrix product. The last layer computes the [CLS] row alone, the only one that is read.
- Add and LayerNormalization stay apart: on CPUs that is faster than their fused form, so open the session with
  `disabled_optimizers=["SkipLayerNormFusion"]`.

Needs the `onnx` package: import this module only where a model is built.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from onnx import TensorProto

from groundwire.models.graph_writer import GraphWriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groundwire.models.head import Head

Precision = Literal["int8", "fp32"]
Weights = dict[str, "NDArray[np.float32]"]

MASKED = -1e9
"""Added to the attention score of padding: far below any real score, far above float32's lowest."""

DISENTANGLED_PARTS = 3
"""Content to content, content to position, position to content: the scores are scaled by their number."""


@dataclass(frozen=True)
class DebertaConfig:
    """Shape of a DeBERTa-v2/v3 encoder with log-bucketed relative positions; the defaults are those of v3-xsmall."""

    layers: int = 12
    heads: int = 6
    head_size: int = 64
    buckets: int = 256
    max_distance: int = 512
    max_tokens: int = 512
    epsilon: float = 1e-7

    @property
    def hidden(self) -> int:
        """Size of a token's vector."""
        return self.heads * self.head_size


def relative_buckets(config: DebertaConfig) -> NDArray[np.int64]:
    """Give the row of the relative-position table for each distance from -(max_tokens - 1) to max_tokens - 1.

    Near distances have a row each, farther ones share rows on a logarithmic scale.
    """
    distance = np.arange(-(config.max_tokens - 1), config.max_tokens)
    middle = config.buckets // 2
    magnitude = np.where(np.abs(distance) < middle, middle - 1, np.abs(distance)).astype(np.float64)
    rank = np.log(magnitude / middle) / np.log((config.max_distance - 1) / middle) * (middle - 1)
    bucket = np.where(magnitude <= middle, distance, np.sign(distance) * (np.ceil(rank) + middle))
    return np.clip(bucket.astype(np.int64) + config.buckets, 0, 2 * config.buckets - 1)


def build_graph(weights: Weights, head: Head, precision: Precision, config: DebertaConfig | None = None) -> bytes:
    """Build the ONNX model.

    Args:
        weights: Float32 weights by their names in the transformers checkpoint, linear weights as [inputs, outputs].
        head: The three-way classification head on the pooled vector.
        precision: `int8` quantises linear layers and the word embedding; pooler and head stay float32.
        config: Shape of the encoder; default that of DeBERTa-v3-xsmall.

    Returns:
        The serialised model. Inputs `input_ids` and `attention_mask`, int64 [batch, length] with a length of at least
        2; outputs `logits` [batch, 3] in the head's order and `pooled` [batch, hidden], on which a head can be fitted.
    """
    return _Builder(weights, config or DebertaConfig(), precision).build(head)


class _Builder:
    """One build: the writer, the weights, and the values that all layers share."""

    def __init__(self, weights: Weights, config: DebertaConfig, precision: Precision) -> None:
        self._weights, self._config = weights, config
        self._graph = GraphWriter(int8=precision == "int8")
        self._score_scale = float(1 / np.sqrt(config.head_size * DISENTANGLED_PARTS))

    def build(self, head: Head) -> bytes:
        g, config = self._graph, self._config
        mask = g.node("Cast", "attention_mask", to=TensorProto.FLOAT)
        x = g.embedding("input_ids", "word_embedding", self._weights["deberta.embeddings.word_embeddings.weight"])
        x = g.layer_norm(x, "deberta.embeddings.LayerNorm", self._weights, config.epsilon)
        x = g.node("Mul", x, g.node("Unsqueeze", mask, g.integers(2)))
        absent = g.node("Sub", g.constant("one", np.float32(1)), mask)
        self._key_mask = g.node(
            "Unsqueeze", g.node("Mul", absent, g.constant("masked", np.float32(MASKED))), g.integers(1, 2)
        )
        self._prepare_positions()
        for layer in range(config.layers):
            x = self._layer(x, f"deberta.encoder.layer.{layer}", last=layer == config.layers - 1)
        first = g.node("Gather", x, g.constant("first_token", np.array(0, np.int64)), axis=1)
        dense = g.node("Gemm", first, self._constant("pooler.dense.weight"), self._constant("pooler.dense.bias"))
        g.microsoft("Gelu", dense, outputs=["pooled"])
        head_weight, head_bias = g.constant("head.weight", head.weight), g.constant("head.bias", head.bias)
        g.node("Gemm", "pooled", head_weight, head_bias, outputs=["logits"])
        return g.serialise(["input_ids", "attention_mask"], {"logits": head.bias.size, "pooled": config.hidden})

    def _constant(self, name: str) -> str:
        return self._graph.constant(name, self._weights[name])

    def _prepare_positions(self) -> None:
        """Add what depends on the length L alone: the rows of the position table and the shapes for `_skew`."""
        g, config = self._graph, self._config
        one = g.integers(1)
        axis_1 = g.constant("axis_1", np.array(1, np.int64))
        length = g.node("Unsqueeze", g.node("Gather", g.node("Shape", "input_ids"), axis_1, axis=0), g.integers(0))
        self._length, self._length_less_1 = length, g.node("Sub", length, one)
        self._width = g.node("Sub", g.node("Mul", length, g.integers(2)), one)  # 2L-1 distances
        width_less_1 = g.node("Sub", self._width, one)
        start = g.node("Sub", g.integers(config.max_tokens), length)
        stop = g.node("Add", start, self._width)
        buckets = relative_buckets(config)
        self._ascending = g.node("Slice", g.constant("ascending", buckets), start, stop, g.integers(0))
        self._descending = g.node("Slice", g.constant("descending", buckets[::-1]), start, stop, g.integers(0))
        self._skew_stop = g.node("Add", self._length_less_1, g.node("Mul", length, width_less_1))
        self._skew_shape = g.node("Concat", g.integers(0, config.heads), length, width_less_1, axis=0)
        table, norm = self._weights["deberta.encoder.rel_embeddings.weight"], "deberta.encoder.LayerNorm"
        centred = table - table.mean(-1, keepdims=True)
        scaled = centred / np.sqrt(table.var(-1, keepdims=True) + config.epsilon)
        self._relative = scaled * self._weights[norm + ".weight"] + self._weights[norm + ".bias"]

    def _skew(self, scores: str) -> str:
        """Turn [batch, heads, L, 2L-1] into [.., L, L]: row i shifted by i, so that a column is one key."""
        g = self._graph
        flat = g.node("Reshape", scores, g.integers(0, self._config.heads, -1))
        flat = g.node("Slice", flat, self._length_less_1, self._skew_stop, g.integers(2))
        return g.node("Slice", g.node("Reshape", flat, self._skew_shape), g.integers(0), self._length, g.integers(3))

    def _by_head(self, x: str) -> str:
        """Turn [batch, length, hidden] into [batch, heads, length, head_size]."""
        shape = self._graph.integers(0, 0, self._config.heads, self._config.head_size)
        return self._graph.node("Transpose", self._graph.node("Reshape", x, shape), perm=[0, 2, 1, 3])

    def _projection(self, layer: str, *names: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give weight and bias of the named projections of a layer's attention, side by side."""
        bases = [f"{layer}.attention.self.{name}_proj" for name in names]
        weight = np.hstack([self._weights[base + ".weight"] for base in bases])
        return weight, np.concatenate([self._weights[base + ".bias"] for base in bases])

    def _position_table(self, layer: str, name: str) -> str:
        """Add the scaled projection of every relative position, as [heads, rows, head_size]."""
        config = self._config
        weight, bias = self._projection(layer, name)
        projected = ((self._relative @ weight + bias) * self._score_scale).astype(np.float32)
        by_head = projected.reshape(2 * config.buckets, config.heads, config.head_size).transpose(1, 0, 2)
        return self._graph.constant(f"{layer}.position_{name}", by_head)

    def _layer(self, x: str, layer: str, *, last: bool) -> str:
        g = self._graph
        attended, x = self._first_row_attention(x, layer) if last else (self._attention(x, layer), x)
        attended = self._dense(attended, f"{layer}.attention.output.dense")
        x = self._norm(g.node("Add", attended, x), f"{layer}.attention.output.LayerNorm")
        inner = g.microsoft("Gelu", self._dense(x, f"{layer}.intermediate.dense"))
        return self._norm(g.node("Add", self._dense(inner, f"{layer}.output.dense"), x), f"{layer}.output.LayerNorm")

    def _dense(self, x: str, name: str) -> str:
        return self._graph.linear(x, name, self._weights[name + ".weight"], self._weights[name + ".bias"])

    def _norm(self, x: str, name: str) -> str:
        return self._graph.layer_norm(x, name, self._weights, self._config.epsilon)

    def _attention(self, x: str, layer: str) -> str:
        """Disentangled attention of every token to every token."""
        g, hidden = self._graph, self._config.hidden
        query, key, value = (f"{layer}.{name}" for name in ("query", "key", "value"))
        joined = g.linear(x, f"{layer}.query_key_value", *self._projection(layer, "query", "key", "value"))
        g.node("Split", joined, g.integers(hidden, hidden, hidden), outputs=[query, key, value], axis=2)
        keys_by_distance = g.node("Gather", self._position_table(layer, "key"), self._descending, axis=1)
        queries_by_distance = g.node("Gather", self._position_table(layer, "query"), self._ascending, axis=1)
        to_position = self._skew(g.microsoft("FusedMatMul", self._by_head(query), keys_by_distance, transB=1))
        from_position = self._skew(g.microsoft("FusedMatMul", self._by_head(key), queries_by_distance, transB=1))
        relative = g.node("Add", to_position, g.node("Transpose", from_position, perm=[0, 1, 3, 2]))
        bias = g.node("Add", relative, self._key_mask)
        heads, scale = self._config.heads, self._score_scale
        return g.microsoft("MultiHeadAttention", query, key, value, "", "", bias, num_heads=heads, scale=scale)

    def _first_row_attention(self, x: str, layer: str) -> tuple[str, str]:
        """Disentangled attention of the first token alone; gives its result and the first row of `x`."""
        g, hidden = self._graph, self._config.hidden
        row = g.node("Slice", x, g.integers(0), g.integers(1), g.integers(1))
        query = self._by_head(g.linear(row, f"{layer}.query", *self._projection(layer, "query")))
        joined = g.linear(x, f"{layer}.key_value", *self._projection(layer, "key", "value"))
        g.node("Split", joined, g.integers(hidden, hidden), outputs=[f"{layer}.key", f"{layer}.value"], axis=2)
        key, value = self._by_head(f"{layer}.key"), self._by_head(f"{layer}.value")
        distances = g.node("Slice", self._descending, self._length_less_1, self._width, g.integers(0))
        keys_by_distance = g.node("Gather", self._position_table(layer, "key"), distances, axis=1)
        queries_by_distance = g.node("Gather", self._position_table(layer, "query"), distances, axis=1)
        to_position = g.microsoft("FusedMatMul", query, keys_by_distance, transB=1)
        products = g.node("Mul", key, queries_by_distance)
        from_position = g.node("Unsqueeze", g.node("ReduceSum", products, g.integers(-1), keepdims=0), g.integers(2))
        content = g.microsoft("FusedMatMul", query, key, transB=1, alpha=self._score_scale)
        scores = g.node("Add", g.node("Add", g.node("Add", content, to_position), from_position), self._key_mask)
        attended = g.node("MatMul", g.node("Softmax", scores, axis=-1), value)
        rows = g.node("Transpose", attended, perm=[0, 2, 1, 3])
        return g.node("Reshape", rows, g.integers(0, 0, hidden)), row
