"""DeBERTa-v2/v3 sequence classification as an ONNX graph, built from its weights with numpy and onnx alone.

The graph takes any batch and length, and computes what the published model does (He et al., "DeBERTaV3", 2021, and
"DeBERTa", 2020, section 3.1 for the disentangled attention) in a form that suits a CPU; docs/engine.md says what was
tried and measured. Tokens of all rows are one matrix [batch * length, hidden] but for the attention, and the last layer
computes the [CLS] row alone, the only one that is read.

Needs the `onnx` package: import this module only where a model is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from groundwire.models.disentangled_attention import DisentangledAttention
from groundwire.models.graph_writer import GraphWriter
from groundwire.models.named_weights import NamedWeights

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray
    from onnx import ModelProto

    from groundwire.models.deberta_config import DebertaConfig

Precision = Literal["int8", "fp32"]

ACTIVATION_NODES = {"gelu": ("Gelu", "com.microsoft"), "relu": ("Relu", ""), "tanh": ("Tanh", "")}
"""Operator and domain of each of `groundwire.models.deberta_config.ACTIVATIONS`."""


def build_graph(
    weights: Mapping[str, NDArray[np.float32]],
    config: DebertaConfig,
    precision: Precision,
    fp32_layers: frozenset[int] = frozenset(),
) -> ModelProto:
    """Build the ONNX model.

    Args:
        weights: Float32 weights by their names in the transformers checkpoint of a DebertaV2ForSequenceClassification,
            in its layout: those of linear layers are [outputs, inputs]. Others than the model needs are ignored.
        config: Shape of the model.
        precision: `int8` quantises linear layers and the word embedding; pooler and classifier stay float32.
        fp32_layers: Encoder layers, counted from 0, whose linear layers stay float32 in an `int8` graph.

    Returns:
        The model; `groundwire.models.graph_writer.serialise` gives its bytes. Inputs `input_ids` and `attention_mask`,
        int64 [batch, length] of any size from 1 to `config.max_tokens`, padding at the end; outputs `logits`
        [batch, labels] in the order of the checkpoint and `pooled` [batch, hidden], on which another classifier can be
        fitted.

    Raises:
        ModelError: A weight is missing or has another shape than the configuration says.
    """
    return _Builder(NamedWeights(weights), config, precision, fp32_layers).build()


class _Builder:
    """One build: the writer, the weights, and the attention that all layers share."""

    def __init__(
        self, weights: NamedWeights, config: DebertaConfig, precision: Precision, fp32_layers: frozenset[int]
    ) -> None:
        self._weights, self._config, self._fp32_layers = weights, config, fp32_layers
        self._int8 = precision == "int8"
        self._graph = GraphWriter(int8=self._int8)

    def build(self) -> ModelProto:
        g, config = self._graph, self._config
        mask = g.node("Cast", "attention_mask", to=g.FLOAT)
        x = g.node("Mul", self._embedded(), g.node("Unsqueeze", mask, g.integers(2)))
        x = g.node("Reshape", x, g.integers(-1, config.hidden))
        attention = DisentangledAttention(g, self._weights, config)
        for layer in range(config.layers):
            g.int8 = self._int8 and layer not in self._fp32_layers
            x = self._layer(x, attention, layer)
        dense = self._gemm(x, "pooler.dense", config.hidden)
        self._activate(dense, config.pooler_activation, output="pooled")
        self._gemm("pooled", "classifier", len(config.labels), output="logits")
        return g.model(["input_ids", "attention_mask"], {"logits": len(config.labels), "pooled": config.hidden})

    def _embedded(self) -> str:
        g, config, base = self._graph, self._config, "deberta.embeddings"
        words = self._weights.get(f"{base}.word_embeddings.weight", config.vocabulary, config.hidden)
        x = g.embedding("input_ids", "word_embedding", words)
        if config.position_biased_input:
            table = self._weights.get(f"{base}.position_embeddings.weight", config.max_tokens, config.hidden)
            length = g.node("Slice", g.node("Shape", "input_ids"), g.integers(1), g.integers(2))
            rows = g.node("Slice", g.constant("position_embedding", table), g.integers(0), length, g.integers(0))
            x = g.node("Add", x, rows)
        return self._norm(x, f"{base}.LayerNorm")

    def _layer(self, x: str, attention: DisentangledAttention, number: int) -> str:
        g, config, base = self._graph, self._config, f"deberta.encoder.layer.{number}"
        if number == config.layers - 1:
            attended, x = attention.of_first_row(x, base)
        else:
            attended = attention.of_all_rows(x, base)
        x = self._norm(g.node("Add", attended, x), f"{base}.attention.output.LayerNorm")
        outer = self._feed_forward(x, base)
        return self._norm(g.node("Add", outer, x), f"{base}.output.LayerNorm")

    def _feed_forward(self, x: str, base: str) -> str:
        g, config = self._graph, self._config
        inner, outer = f"{base}.intermediate.dense", f"{base}.output.dense"
        weight, bias = self._weights.linear(inner, config.intermediate, config.hidden)
        gelu = config.activation == "gelu"
        if g.int8 and gelu:
            # it adds the bias, and computes GELU by tanh: off by 0.0005 at most, a tenth of a quantisation step
            [x] = g.linears(x, {inner: (weight, None)})
            x = g.microsoft("FastGelu", x, g.constant(f"{inner}.bias", bias))
        else:
            [x] = g.linears(x, {inner: (weight, bias)})
            x = self._activate(x, config.activation)
        [x] = g.linears(x, {outer: self._weights.linear(outer, config.hidden, config.intermediate)}, gelu=gelu)
        return x

    def _gemm(self, x: str, name: str, outputs: int, output: str = "") -> str:
        weight, bias = self._weights.linear(name, outputs, self._config.hidden)
        g = self._graph
        constants = g.constant(f"{name}.weight", weight), g.constant(f"{name}.bias", bias)
        return g.node("Gemm", x, *constants, outputs=[output] if output else ())

    def _activate(self, x: str, activation: str, output: str = "") -> str:
        kind, domain = ACTIVATION_NODES[activation]
        return self._graph.node(kind, x, domain=domain, outputs=[output] if output else ())

    def _norm(self, x: str, name: str) -> str:
        return self._graph.layer_norm(x, name, *self._weights.norm(name, self._config.hidden), self._config.epsilon)
