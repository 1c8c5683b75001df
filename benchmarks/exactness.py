"""How close the graphs come to transformers' DeBERTa, at any length and with padding.

Needs torch and transformers, which Groundwire itself doesn't: install them into another environment and put the one
that `make install` made behind it, as docs/engine.md shows. With --golden it writes the file that the tests compare
with, tests/models/data/golden.npz.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
import torch
from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

from groundwire.models.deberta_config import DebertaConfig
from groundwire.models.deberta_graph import Precision, build_graph
from groundwire.models.embedded import CONFIG, read_weights
from groundwire.models.graph_writer import serialise
from groundwire.models.head import load_head

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.float32]]

V3: dict[str, Any] = {
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "max_position_embeddings": 512,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "num_labels": 3,
}
"""What all sizes of DeBERTa-v3 have in common."""

VOCABULARY = 1000
"""Enough of the 128,100 words: a look-up is a look-up."""

SIZES: dict[str, dict[str, Any]] = {
    name: {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads}
    for name, hidden, layers, heads in (("xsmall", 384, 12, 6), ("base", 768, 12, 12), ("large", 1024, 24, 16))
}
LENGTHS = (1, 2, 3, 17, 64, 127, 128, 129, 256, 300, 511, 512)

TINY: dict[str, dict[str, Any]] = {
    "shared": V3 | {"position_buckets": 8, "max_position_embeddings": 24, "num_hidden_layers": 3},
    "own, absolute positions, no buckets": V3
    | {"share_att_key": False, "position_biased_input": True, "position_buckets": -1, "norm_rel_ebd": "none"}
    | {"pos_att_type": ["c2p"], "hidden_act": "relu", "pooler_hidden_act": "tanh", "num_labels": 2}
    | {"max_position_embeddings": 24, "num_hidden_layers": 2},
    "own, position to content": V3
    | {"share_att_key": False, "pos_att_type": "p2c", "position_buckets": 6, "num_labels": 4}
    | {"max_position_embeddings": 24, "max_relative_positions": 12, "num_hidden_layers": 2},
    "one layer": V3
    | {"share_att_key": False, "position_buckets": 8, "num_hidden_layers": 1}
    | {"max_position_embeddings": 24},
}
"""Shapes that between them have every part that the graph builder knows, small enough to be kept with the tests."""

TINY_SIZES = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 12, "vocab_size": 30}
TINY_LENGTHS = (1, 2, 3, 9, 16, 24)


def reference(config: dict[str, Any], seed: int, spread: float) -> tuple[DebertaV2ForSequenceClassification, Arrays]:
    """Give transformers' model with random weights, and those weights."""
    torch.manual_seed(seed)
    model = DebertaV2ForSequenceClassification(DebertaV2Config(**config)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, spread)
        for name, parameter in model.named_parameters():
            if "LayerNorm.weight" in name:
                parameter.add_(1)
    return model, {name: value.numpy() for name, value in model.state_dict().items()}


def inputs(lengths: tuple[int, ...], longest: int, vocabulary: int) -> dict[str, NDArray[np.int64]]:
    """Give rows of random words with padding up to `longest`."""
    ids = np.random.default_rng(longest).integers(3, vocabulary, (len(lengths), longest))
    mask = (np.arange(longest) < np.array(lengths)[:, None]).astype(np.int64)
    return {"input_ids": ids * mask, "attention_mask": mask}


def expected(model: DebertaV2ForSequenceClassification, feed: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
    """Give transformers' logits."""
    with torch.inference_mode():
        logits: NDArray[np.float32] = model(**{name: torch.from_numpy(x) for name, x in feed.items()}).logits.numpy()
    return logits


def compare(name: str, model: DebertaV2ForSequenceClassification, weights: Arrays, config: DebertaConfig) -> None:
    """Print the largest difference of any logit, alone and among rows of other lengths."""
    worst: dict[str, float] = {}
    exact: Precision = "fp32"
    session = onnxruntime.InferenceSession(serialise(build_graph(weights, config, exact)))
    spread = 0.0
    for length in LENGTHS:
        for kind, lengths in {"alone": (length,), "padded": (max(1, length // 3), length, 1)}.items():
            feed = inputs(lengths, length, VOCABULARY)
            wanted = expected(model, feed)
            spread = max(spread, float(np.abs(wanted).max()))
            difference = float(np.abs(session.run(["logits"], feed)[0] - wanted).max())
            worst[kind] = max(worst.get(kind, 0.0), difference)
    print(f"{name}: largest logit {spread:.2f}, largest difference " + str(worst), flush=True)


def write_golden(path: Path) -> None:
    """Write configurations, weights, inputs and transformers' logits of the tiny models."""
    kept: dict[str, NDArray[Any]] = {}
    for number, shape in enumerate(TINY.values()):
        model, weights = reference(shape | TINY_SIZES, number, 0.6)
        text = model.config.to_json_string(use_diff=False)
        kept[f"{number}/config"] = np.array(text)
        kept |= {f"{number}/weights/{name}": value for name, value in weights.items()}
        for longest in TINY_LENGTHS:
            feed = inputs((longest, max(1, longest // 2), 1), longest, TINY_SIZES["vocab_size"])
            kept |= {f"{number}/{longest}/{name}": value.astype(np.int8) for name, value in feed.items()}
            kept[f"{number}/{longest}/logits"] = expected(model, feed)
    np.savez_compressed(path, **kept)  # type: ignore[arg-type]  # numpy's stub takes the names for its own options
    print(f"{path}: {path.stat().st_size:,} bytes")


def main() -> int:
    """Run the comparison, or write the file for the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--golden", type=Path, help="write the file for the tests here, and nothing else")
    golden: Path | None = parser.parse_args().golden
    if golden is not None:
        write_golden(golden)
        return 0
    for number, (name, size) in enumerate(SIZES.items()):
        shape = V3 | size | {"intermediate_size": 4 * size["hidden_size"], "vocab_size": VOCABULARY}
        model, weights = reference(shape, number, 0.05)
        compare(f"{name}-like, random weights", model, weights, DebertaConfig.from_json(json_of(model)))
    embedded, head = read_weights(), load_head()
    embedded |= {"classifier.weight": head.weight.T, "classifier.bias": head.bias}
    embedded = {name: np.ascontiguousarray(value) for name, value in embedded.items()}
    size = SIZES["xsmall"] | {"intermediate_size": CONFIG.intermediate, "vocab_size": CONFIG.vocabulary}
    model = DebertaV2ForSequenceClassification(DebertaV2Config(**V3 | size)).eval()
    model.load_state_dict({name: torch.from_numpy(embedded[name]) for name in model.state_dict()})
    compare("embedded", model, embedded, CONFIG)
    return 0


def json_of(model: DebertaV2ForSequenceClassification) -> dict[str, Any]:
    """Give a model's config.json."""
    content: dict[str, Any] = json.loads(model.config.to_json_string(use_diff=False))
    return content


if __name__ == "__main__":
    sys.exit(main())
