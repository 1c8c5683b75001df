"""A small writer of ONNX graphs: nodes, constants that are stored once, and linear layers in fp32 or int8.

Needs the `onnx` package, as `groundwire.models.deberta_graph` does: import it only where a model is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

OPSET = 18
"""First ONNX operator set in which ReduceMax and ReduceSum both take their axes as inputs."""

IR_VERSION = 9
"""ONNX file format that goes with OPSET; every onnxruntime since 1.16 reads it."""

MICROSOFT_DOMAIN = "com.microsoft"
"""Operators that onnxruntime adds to ONNX; its CPU build always has them."""

WEIGHT_LEVELS = 63
"""Largest magnitude of a quantised weight: 7 bits, not 8.

On CPUs without VNNI onnxruntime adds two products of an unsigned and a signed byte in a signed 16-bit register
(vpmaddubsw), which saturates: with 8-bit weights the results are garbage there. 255 * 63 * 2 = 32,130 fits in 16 bits.
"""

SIGNED_ZERO, SIGNED_LEVELS = 128, 127
"""What an activation of 0 is stored as, in an unsigned byte, and the largest magnitude on either side of it."""

GELU_ZERO, GELU_LEVELS = 24, 231
"""The same for what a GELU gives, which has nearly all its range above 0."""

GELU_LOWEST = -0.17
"""Lowest value of GELU, at -0.7518, rounded away from 0: it has to have a place among the GELU_ZERO levels below 0."""

MOST_BYTES = 2**31 - 1
"""Largest message of Protocol Buffers, and so of an ONNX file that holds its weights."""

SMALLEST_SCALE = 1e-8
"""Keeps rows and columns of zeros, such as those of padding, from being divided by zero."""


class QuantisedRows(NamedTuple):
    """Names of quantised rows: the bytes [rows, columns], the scale of each row [rows, 1], and what 0 is stored as."""

    values: str
    scale: str
    zero: str


def quantised_columns(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise each column of weights [.., inputs, outputs] to 7 bits; gives the bytes and scales [.., 1, outputs]."""
    scales = (np.maximum(np.abs(weight).max(-2, keepdims=True), SMALLEST_SCALE) / WEIGHT_LEVELS).astype(np.float32)
    return np.clip(np.rint(weight / scales), -WEIGHT_LEVELS, WEIGHT_LEVELS).astype(np.int8), scales


class GraphWriter:
    """Collects the nodes and constants of one ONNX graph.

    Values are handled by name: every method that adds something returns the name of its (first) output.

    Attributes:
        int8: Whether what is added next is quantised, else float32.
    """

    FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32

    def __init__(self, *, int8: bool) -> None:
        """Start an empty graph whose linear layers are quantised when `int8` is set, else fp32."""
        self.int8 = int8
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, TensorProto] = {}

    def constant(self, name: str, value: NDArray[np.generic] | np.generic) -> str:
        """Store `value` under `name`, once; a second call with a name that is known keeps the first value."""
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.array(value, order="C"), name)
        return name

    def integers(self, *values: int) -> str:
        """Give a constant int64 vector, as shapes, axes and slice limits are passed."""
        return self.constant("integers_" + "_".join(map(str, values)), np.array(values, np.int64))

    def node(
        self,
        kind: str,
        *inputs: str,
        outputs: Sequence[str] = (),
        domain: str = "",
        **attributes: Any,  # noqa: ANN401 - an attribute can be a number, a string or a list of them
    ) -> str:
        """Add an operator and give the name of its first output; an empty input name is an input left out."""
        names = list(outputs) or [f"{kind}_{len(self._nodes)}"]
        self._nodes.append(
            helper.make_node(kind, list(inputs), names, name=f"node_{len(self._nodes)}", domain=domain, **attributes)
        )
        return names[0]

    def microsoft(self, kind: str, *inputs: str, outputs: Sequence[str] = (), **attributes: float) -> str:
        """Add one of onnxruntime's own operators."""
        return self.node(kind, *inputs, outputs=outputs, domain=MICROSOFT_DOMAIN, **attributes)

    def linears(
        self,
        x: str,
        layers: Mapping[str, tuple[NDArray[np.float32], NDArray[np.float32] | None]],
        *,
        gelu: bool = False,
    ) -> list[str]:
        """Add `x @ weight + bias` for each layer.

        In int8 each column of a weight and each row (token) of `x` has a scale of its own. One scale for a whole
        batch, as onnxruntime's DynamicQuantizeLinear takes, would let a pair's result depend on its neighbours in the
        batch and would double the rounding error.

        Args:
            x: The input, [rows, inputs].
            layers: Weights [inputs, outputs] and biases [outputs] by name; without a bias nothing is added.
            gelu: Whether `x` is the output of a GELU.

        Returns:
            The outputs, [rows, outputs], in the order of the layers.
        """
        rows = self.quantised(x, gelu=gelu) if self.int8 else None
        found = []
        for name, (weight, bias) in layers.items():
            if rows is None:
                product = self.node("MatMul", x, self.constant(name + ".weight", weight))
            else:
                values, scales = quantised_columns(weight)
                one = self.constant("one", np.float32(1))
                constants = self.constant(name + ".weight", values), one, self.constant(name + ".scale", scales[0])
                product = self.microsoft("MatMulIntegerToFloat", rows.values, *constants, rows.zero)
                product = self.node("Mul", product, rows.scale)
            if bias is not None:
                product = self.node("Add", product, self.constant(name + ".bias", bias))
            found.append(product)
        return found

    def quantised(self, x: str, *, gelu: bool = False, signed: bool = False) -> QuantisedRows:
        """Quantise each row of `x` [rows, columns] by itself.

        Args:
            x: What to quantise.
            gelu: Whether it is the output of a GELU.
            signed: Whether to give signed bytes of 7 bits, as second factors have to be for the sake of WEIGHT_LEVELS;
                first ones are unsigned.
        """
        zero, levels = (GELU_ZERO, GELU_LEVELS) if gelu else (SIGNED_ZERO, SIGNED_LEVELS)
        if signed:
            zero, levels = 0, WEIGHT_LEVELS
        smallest = np.float32(-GELU_LOWEST / GELU_ZERO if gelu else SMALLEST_SCALE)
        peak = self.node("ReduceMax", x if gelu else self.node("Abs", x), self.integers(-1), keepdims=1)
        scale = self.node("Mul", peak, self.constant(f"step_{levels}", np.float32(1 / levels)))
        scale = self.node("Max", scale, self.constant(f"smallest_scale_{levels}", smallest))
        by_row = self.node("Reshape", scale, self.integers(-1))
        zero_point = self.constant(f"zero_{zero}", np.int8(zero) if signed else np.uint8(zero))
        zeros = self.node("Expand", zero_point, self.node("Shape", by_row))
        return QuantisedRows(self.node("QuantizeLinear", x, by_row, zeros, axis=0), scale, zero_point)

    def embedding(self, ids: str, name: str, table: NDArray[np.float32]) -> str:
        """Look up rows of `table`; in int8 it is stored as bytes with one scale and zero point.

        A table that was quantised in the same way before, over its whole range, comes back without loss.
        """
        if not self.int8:
            return self.node("Gather", self.constant(name + ".weight", table), ids)
        low, high = float(min(table.min(), 0.0)), float(max(table.max(), 0.0))
        step = np.float32(max((high - low) / np.iinfo(np.uint8).max, SMALLEST_SCALE))
        zero = np.uint8(np.rint(-low / step))
        stored = np.clip(np.rint(table / step) + zero, 0, np.iinfo(np.uint8).max).astype(np.uint8)
        rows = self.node("Gather", self.constant(name + ".weight", stored), ids)
        return self.node(
            "DequantizeLinear", rows, self.constant(name + ".scale", step), self.constant(name + ".zero", zero)
        )

    def layer_norm(
        self, x: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32], epsilon: float
    ) -> str:
        """Normalise the last axis."""
        constants = self.constant(name + ".weight", weight), self.constant(name + ".bias", bias)
        return self.node("LayerNormalization", x, *constants, axis=-1, epsilon=epsilon)

    def model(self, inputs: Sequence[str], outputs: dict[str, int]) -> ModelProto:
        """Give the ONNX model of what was added.

        Args:
            inputs: Names of the int64 inputs, each [batch, length] with both sizes free.
            outputs: Names of the float32 outputs, each [batch, columns], and their number of columns.
        """
        taken = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs]
        given = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", columns])
            for name, columns in outputs.items()
        ]
        graph = helper.make_graph(self._nodes, "groundwire", taken, given, list(self._constants.values()))
        imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT_DOMAIN, 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION, producer_name="groundwire")


def serialise(model: ModelProto) -> bytes:
    """Give the bytes of an ONNX model; the same graph always gives the same bytes.

    Raises:
        ModelError: It exceeds the 2 GiB that one ONNX file can hold.
    """
    if model.ByteSize() > MOST_BYTES:
        raise ModelError(
            f"the graph has {model.ByteSize():,} bytes, and an ONNX file can hold {MOST_BYTES:,}: build it as int8"
        )
    return bytes(model.SerializeToString(deterministic=True))
