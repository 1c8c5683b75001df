"""What a model consists of on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class ModelFiles:
    """A model that is ready to be loaded.

    Attributes:
        path_onnx: Graph with inputs `input_ids` and `attention_mask` and an output `logits` [batch, 3] in the order
            entailment, neutral, contradiction.
        path_tokenizer: Its tokenizer.json, without truncation, padding or tokens that text could spell out.
        model_id: Name and variant, as results state it.
        sha256: SHA-256 of the graph's file, as results state it.
        max_tokens: Most tokens of a pair, the three control tokens included.
    """

    path_onnx: Path
    path_tokenizer: Path
    model_id: str
    sha256: str
    max_tokens: int
