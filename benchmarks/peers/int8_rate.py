"""How many int8 operations a second this machine's processor does in onnxruntime's own matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.models.embedded import CONFIG
from groundwire.models.session import open_session

if TYPE_CHECKING:
    from pathlib import Path

OPSET = 21
"""Of the one-node graphs; any that onnxruntime knows would do."""

OPERATORS = ("MatMulInteger", "MatMulIntegerToFloat")
"""Both products of onnxruntime that a graph in int8 is made of: to int32, and to scaled float32."""

SHAPES = (
    (512, CONFIG.hidden, CONFIG.intermediate),
    (512, CONFIG.intermediate, CONFIG.hidden),
    (256, CONFIG.hidden, CONFIG.intermediate),
    (256, CONFIG.hidden, CONFIG.hidden),
)
"""Rows, inner length and columns, as in the model's feed-forward and attention layers."""


def operations(shape: tuple[int, int, int]) -> int:
    """Count the operations of a product: a multiplication and an addition are two."""
    rows, inner, columns = shape
    return 2 * rows * inner * columns


def linear_operations(tokens: int) -> int:
    """Count the operations of the encoder's linear layers for one pair.

    That is query, key, value and output of the attention and both layers of the feed-forward part, in every layer.
    Attention between tokens, positions, embedding, pooler and head are left out.
    """
    hidden = CONFIG.hidden
    return 2 * tokens * (4 * hidden**2 + 2 * hidden * CONFIG.intermediate) * CONFIG.layers


class ProductRunner:
    """Runs one product of an unsigned activation with a constant signed weight over and over."""

    def __init__(self, threads: int, folder: Path) -> None:
        self._threads = threads
        self._folder = folder
        self._session: Any = None
        self._binding: Any = None

    def prepare(self, shape: list[int], operator: str) -> None:
        """Open the graph of one product, with its input and output in place."""
        import onnxruntime  # noqa: PLC0415 - open_session sets what must be set before it is loaded

        path = self._folder / f"{operator}-{'x'.join(map(str, shape))}.onnx"
        path.write_bytes(_graph((shape[0], shape[1], shape[2]), operator))
        self._session = open_session(path, self._threads)
        rng = np.random.default_rng(0)
        activation = rng.integers(0, 256, shape[:2], np.uint8)
        kind = np.int32 if operator == OPERATORS[0] else np.float32
        self._binding = self._session.io_binding()
        self._binding.bind_ortvalue_input("a", onnxruntime.OrtValue.ortvalue_from_numpy(activation))
        output = onnxruntime.OrtValue.ortvalue_from_shape_and_type([shape[0], shape[2]], kind)
        self._binding.bind_ortvalue_output("y", output)

    def run(self, times: int) -> None:
        """Compute the product so many times."""
        for _ in range(times):
            self._session.run_with_iobinding(self._binding)


def _graph(shape: tuple[int, int, int], operator: str) -> bytes:
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415 - large; the parent process needs none of it

    rows, inner, columns = shape
    rng = np.random.default_rng(1)
    weight = rng.integers(-127, 128, (inner, columns), np.int8)
    constants = [numpy_helper.from_array(weight, "w")]
    inputs, domain, kind = ["a", "w"], "", TensorProto.INT32
    if operator == OPERATORS[1]:
        constants += [numpy_helper.from_array(np.array(0.01, np.float32), name) for name in ("a_scale", "w_scale")]
        inputs, domain, kind = ["a", "w", "a_scale", "w_scale"], "com.microsoft", TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node(operator, inputs, ["y"], domain=domain)],
        "product",
        [helper.make_tensor_value_info("a", TensorProto.UINT8, [rows, inner])],
        [helper.make_tensor_value_info("y", kind, [rows, columns])],
        constants,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    serialised: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return serialised
