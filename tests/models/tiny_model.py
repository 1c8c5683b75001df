"""A tiny DeBERTa-v2 NLI checkpoint with random weights, made with numpy and tokenizers alone."""

from __future__ import annotations

import json
import string
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Weights = dict[str, NDArray[np.float32]]

HIDDEN, LAYERS, HEADS, INNER, BUCKETS = 16, 2, 2, 24, 8
SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")
SCORE = -4.0
VOCABULARY = [(piece, 0.0) for piece in SPECIAL] + [(letter, SCORE) for letter in "\u2581" + string.printable[:94]]

CONFIG = {
    "model_type": "deberta-v2",
    "vocab_size": len(VOCABULARY),
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-7,
    "max_position_embeddings": 512,
    "max_relative_positions": -1,
    "position_buckets": BUCKETS,
    "relative_attention": True,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
    "pooler_hidden_size": HIDDEN,
    "pooler_hidden_act": "gelu",
    "id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"},
}


def weights(labels: int = 3, seed: int = 3) -> Weights:
    """Random weights in the names and layout of transformers, of a size that keeps the layers from saturating."""
    random = np.random.default_rng(seed)
    made: Weights = {}

    def linear(name: str, outputs: int, inputs: int) -> None:
        made[f"{name}.weight"] = random.normal(0, inputs**-0.5, (outputs, inputs)).astype(np.float32)
        made[f"{name}.bias"] = random.normal(0, 0.1, outputs).astype(np.float32)

    def norm(name: str) -> None:
        made[f"{name}.weight"] = random.uniform(0.8, 1.2, HIDDEN).astype(np.float32)
        made[f"{name}.bias"] = random.normal(0, 0.1, HIDDEN).astype(np.float32)

    words = random.normal(0, 1, (len(VOCABULARY), HIDDEN)).astype(np.float32)
    made["deberta.embeddings.word_embeddings.weight"] = words
    positions = random.normal(0, 1, (2 * BUCKETS, HIDDEN)).astype(np.float32)
    made["deberta.encoder.rel_embeddings.weight"] = positions
    norm("deberta.embeddings.LayerNorm")
    norm("deberta.encoder.LayerNorm")
    for layer in range(LAYERS):
        base = f"deberta.encoder.layer.{layer}"
        for name in ("query", "key", "value"):
            linear(f"{base}.attention.self.{name}_proj", HIDDEN, HIDDEN)
        linear(f"{base}.attention.output.dense", HIDDEN, HIDDEN)
        linear(f"{base}.intermediate.dense", INNER, HIDDEN)
        linear(f"{base}.output.dense", HIDDEN, INNER)
        norm(f"{base}.attention.output.LayerNorm")
        norm(f"{base}.output.LayerNorm")
    linear("pooler.dense", HIDDEN, HIDDEN)
    linear("classifier", labels, HIDDEN)
    return made


def with_outliers(*layers: int) -> Weights:
    """Weights that int8 ruins in some layers: in every column one weight so large that the others round to nothing.

    What the large weight multiplies is always zero, so that in fp32 it changes nothing at all.
    """
    made = weights()
    # large enough to tell pairs apart
    made["classifier.weight"] *= 5
    for layer in layers:
        base = f"deberta.encoder.layer.{layer}"
        # a unit that gelu turns to zero, whatever comes in
        made[f"{base}.intermediate.dense.weight"][0] = 0
        made[f"{base}.intermediate.dense.bias"][0] = -100
        made[f"{base}.output.dense.weight"] *= 4
        made[f"{base}.output.dense.weight"][:, 0] = 3000
    return made


def safetensors(made: Weights) -> bytes:
    """Write weights in the safetensors format, in float32."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, values in made.items():
        data = np.ascontiguousarray(values, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(content), len(content) + len(data)]}
        content += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content


def tokenizer() -> bytes:
    """Write the tokenizer's definition: each printable character is a piece."""
    made = Tokenizer(models.Unigram(VOCABULARY, unk_id=3))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.add_special_tokens(list(SPECIAL))
    return made.to_str().encode()


def files(made: Weights | None = None, **config: Any) -> dict[str, bytes]:
    """Give the files of a checkpoint; a field of config.json that is None is left out."""
    fields = {name: value for name, value in (CONFIG | config).items() if value is not None}
    content = {"config.json": json.dumps(fields).encode(), "tokenizer.json": tokenizer()}
    return content | {"model.safetensors": safetensors(weights() if made is None else made)}


def write(folder: Path, content: dict[str, bytes]) -> Path:
    """Write files into a folder."""
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder
