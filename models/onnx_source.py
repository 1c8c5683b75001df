"""A ready ONNX graph of an NLI model, with its logits put into Groundwire's order and nothing else changed.

Needs the `onnx` package: import this module only where a model is built.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from groundwire.models.head import LABELS
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from groundwire.models.model_source import ModelSource

INPUTS = ("input_ids", "attention_mask")
SEGMENTS = "token_type_ids"
LOGITS = "logits"

_THEIR_LOGITS = "logits_in_the_order_of_the_model"
_COLUMNS = "columns_of_entailment_neutral_contradiction"
_RUN_TIME_QUANTISATION = "DynamicQuantize"

_log = logging.getLogger(__name__)


def ordered_graph(source: ModelSource) -> bytes:
    """Give a source's ONNX graph with its columns in the order entailment, neutral, contradiction.

    Raises:
        ModelError: The graph is damaged, or its inputs or outputs are not those of an NLI model.
    """
    path = source.graph
    try:
        model = onnx.load(str(path))
        onnx.checker.check_model(model, full_check=False)
    except Exception as error:  # protobuf and onnx have no common class
        raise ModelError(f"{path}: truncated, or no ONNX model ({type(error).__name__}); get it again") from error
    graph = model.graph
    _check_inputs(graph, source)
    output = next((value for value in graph.output if value.name == LOGITS), None)
    columns = _columns(output)
    if output is None or columns not in (None, len(LABELS)):
        found = f"{LOGITS} has {columns} columns" if output else f"it has no output {LOGITS}"
        raise ModelError(f"{path}: {found}; export an NLI model of three labels, as Optimum does")
    if any(_RUN_TIME_QUANTISATION in node.op_type for node in graph.node):
        _log.warning(
            "model %s quantises activations at run time, with one scale for a whole batch: results depend on what else "
            "is in the batch, and on processors without VNNI its 8-bit products can overflow; the checkpoint itself "
            "is faster and safer",
            source.name,
        )
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [_THEIR_LOGITS if name == LOGITS else name for name in names]
    graph.initializer.append(numpy_helper.from_array(np.array(source.columns, np.int64), _COLUMNS))
    graph.node.append(helper.make_node("Gather", [_THEIR_LOGITS, _COLUMNS], [LOGITS], axis=1))
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info(LOGITS, TensorProto.FLOAT, ["batch", len(LABELS)]))
    return bytes(model.SerializeToString(deterministic=True))


def _check_inputs(graph: Any, source: ModelSource) -> None:  # noqa: ANN401 - onnx ships no types
    constants = {tensor.name for tensor in graph.initializer}
    inputs = {value.name: value.type.tensor_type.elem_type for value in graph.input if value.name not in constants}
    if SEGMENTS in inputs and not source.config.get("type_vocab_size"):
        # a model without segments: whatever is given there is not used
        kept = [value for value in graph.input if value.name != SEGMENTS]
        del graph.input[:]
        graph.input.extend(kept)
        graph.node.insert(0, helper.make_node("Sub", [INPUTS[0], INPUTS[0]], [SEGMENTS]))
        del inputs[SEGMENTS]
    if set(inputs) != set(INPUTS) or any(kind != TensorProto.INT64 for kind in inputs.values()):
        raise ModelError(
            f"{source.graph}: its inputs are {', '.join(inputs) or 'none'}; only int64 {' and '.join(INPUTS)} can be "
            "given; use the model's safetensors checkpoint instead"
        )


def _columns(output: Any) -> int | None:  # noqa: ANN401 - onnx ships no types
    """Give the number of columns that an output states; None where it leaves that open."""
    if output is None:
        return None
    sizes = output.type.tensor_type.shape.dim
    return int(sizes[-1].dim_value) or None if sizes else None
