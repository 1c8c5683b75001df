"""Runs windows of text through an ONNX graph, in small batches of like length."""

from __future__ import annotations

import logging
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.models.session import batches, open_session
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groundwire.models.relevance_files import RelevanceFiles
    from groundwire.models.text_windows import Window

INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})

RUN_TIME_QUANTISATION = b"DynamicQuantize"
"""In the names of the operators that take one scale for the activations of a whole batch."""

_log = logging.getLogger(__name__)


class WindowRunner:
    """An open graph.

    Attributes:
        outputs: Shapes of the graph's outputs by name; a free size is a string or None.
    """

    def __init__(self, files: RelevanceFiles, threads: int) -> None:
        """Open the graph.

        Args:
            files: What `groundwire.models.relevance_files.resolve_relevance` gives.
            threads: Threads of this process for one batch.

        Raises:
            ModelError: The graph is missing, unusable or wants other inputs, or the package onnxruntime is missing.
            SettingsError: `threads` is below 1.
        """
        self._session = open_session(files.path_onnx, threads)
        self._path = files.path_onnx
        wanted = {item.name: item.type for item in self._session.get_inputs()}
        unknown = sorted(name for name, kind in wanted.items() if name not in INPUTS or kind != "tensor(int64)")
        if unknown:
            raise ModelError(
                f"{files.path_onnx}: its inputs {', '.join(unknown)} can't be given; only int64 "
                f"{', '.join(sorted(INPUTS))} can"
            )
        self._inputs = frozenset(wanted)
        self.outputs: dict[str, list[Any]] = {item.name: item.shape for item in self._session.get_outputs()}
        self._one_by_one = _quantises_at_run_time(files)

    def run(self, windows: Sequence[Window], output: str) -> Iterator[tuple[list[int], Any, NDArray[np.int64]]]:
        """Run all windows.

        Args:
            windows: The inputs, in any order.
            output: Name of the output that is wanted.

        Yields:
            For each batch the indices of its windows, the output (its first axis is the batch), and the mask
            [batch, length] that is 1 for tokens and 0 for padding.

        Raises:
            ModelError: The graph fails.
        """
        lengths = [len(window.ids) for window in windows]
        for batch in [[row] for row in range(len(windows))] if self._one_by_one else batches(lengths):
            shape = (len(batch), max(lengths[row] for row in batch))
            feed = {name: np.zeros(shape, np.int64) for name in INPUTS}
            for place, row in enumerate(batch):
                feed["input_ids"][place, : lengths[row]] = windows[row].ids
                feed["token_type_ids"][place, : lengths[row]] = windows[row].types
                feed["attention_mask"][place, : lengths[row]] = 1
            try:
                (result,) = self._session.run([output], {name: feed[name] for name in self._inputs})
            except Exception as error:  # onnxruntime's own classes share no public base
                raise ModelError(
                    f"{self._path}: fails on an input of {shape[1]} tokens ({type(error).__name__}); "
                    "is its length stated rightly?"
                ) from error
            yield batch, result, feed["attention_mask"]


def _quantises_at_run_time(files: RelevanceFiles) -> bool:
    """Tell whether a window's result would depend on its neighbours in the batch; such a graph gets one at a time."""
    with files.path_onnx.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = content.find(RUN_TIME_QUANTISATION) >= 0
    if found:
        _log.warning(
            "model %s quantises activations at run time: slower here, and on processors without VNNI its 8-bit "
            "products can overflow; an fp32 or weight-only export is safer",
            files.model_id,
        )
    return found
