"""The graph against a plain, slow implementation of DeBERTa with disentangled attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import pytest

from groundwire.models.deberta_graph import DebertaConfig, Precision, build_graph
from groundwire.models.head import Head

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIG = DebertaConfig(layers=3, heads=2, head_size=4, buckets=8, max_distance=16, max_tokens=24)
VOCABULARY, INNER = 40, 16
Arrays = dict[str, "NDArray[np.float32]"]


def random_weights() -> Arrays:
    random, hidden = np.random.default_rng(7), CONFIG.hidden
    shapes: dict[str, tuple[int, ...]] = {
        "deberta.embeddings.word_embeddings.weight": (VOCABULARY, hidden),
        "deberta.encoder.rel_embeddings.weight": (2 * CONFIG.buckets, hidden),
        "pooler.dense.weight": (hidden, hidden),
        "pooler.dense.bias": (hidden,),
    }
    norms = ["deberta.embeddings.LayerNorm", "deberta.encoder.LayerNorm"]
    for layer in range(CONFIG.layers):
        base = f"deberta.encoder.layer.{layer}."
        linears = {f"attention.self.{name}_proj": (hidden, hidden) for name in ("query", "key", "value")}
        linears |= {"attention.output.dense": (hidden, hidden)}
        linears |= {"intermediate.dense": (hidden, INNER), "output.dense": (INNER, hidden)}
        for name, shape in linears.items():
            shapes |= {f"{base}{name}.weight": shape, f"{base}{name}.bias": shape[1:]}
        norms += [base + "attention.output.LayerNorm", base + "output.LayerNorm"]
    for norm in norms:
        shapes |= {f"{norm}.weight": (hidden,), f"{norm}.bias": (hidden,)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


WEIGHTS = random_weights()
HEAD = Head(
    np.random.default_rng(8).normal(size=(CONFIG.hidden, 3)).astype(np.float32), np.array([0.1, 0.2, 0.3], np.float32)
)


def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + CONFIG.epsilon)
    return scaled * WEIGHTS[name + ".weight"] + WEIGHTS[name + ".bias"]


def linear(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    return x @ WEIGHTS[name + ".weight"].astype(np.float64) + WEIGHTS[name + ".bias"]


def gelu(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def bucket(distance: int) -> int:
    middle = CONFIG.buckets // 2
    if abs(distance) <= middle:
        return distance
    share = math.log(abs(distance) / middle) / math.log((CONFIG.max_distance - 1) / middle)
    return int(math.copysign(math.ceil(share * (middle - 1)) + middle, distance))


def reference(ids: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Logits and pooled vector of one sequence, element by element."""
    words = WEIGHTS["deberta.embeddings.word_embeddings.weight"].astype(np.float64)
    x = norm(words[ids], "deberta.embeddings.LayerNorm")
    positions = norm(WEIGHTS["deberta.encoder.rel_embeddings.weight"].astype(np.float64), "deberta.encoder.LayerNorm")
    for layer in range(CONFIG.layers):
        base = f"deberta.encoder.layer.{layer}."
        attended = np.zeros_like(x)
        for head in range(CONFIG.heads):
            part = slice(head * CONFIG.head_size, (head + 1) * CONFIG.head_size)
            query, key, value = (
                linear(x, f"{base}attention.self.{name}_proj")[:, part] for name in ("query", "key", "value")
            )
            position_query, position_key = (
                linear(positions, f"{base}attention.self.{name}_proj")[:, part] for name in ("query", "key")
            )
            scores = np.zeros((len(ids), len(ids)))
            for i in range(len(ids)):
                for j in range(len(ids)):
                    row = min(max(bucket(i - j) + CONFIG.buckets, 0), 2 * CONFIG.buckets - 1)
                    scores[i, j] = query[i] @ key[j] + query[i] @ position_key[row] + key[j] @ position_query[row]
            scores = np.exp(scores / math.sqrt(3 * CONFIG.head_size))
            attended[:, part] = scores / scores.sum(1, keepdims=True) @ value
        x = norm(linear(attended, base + "attention.output.dense") + x, base + "attention.output.LayerNorm")
        inner = gelu(linear(x, base + "intermediate.dense"))
        x = norm(linear(inner, base + "output.dense") + x, base + "output.LayerNorm")
    pooled = gelu(linear(x[0], "pooler.dense"))
    return pooled @ HEAD.weight + HEAD.bias, pooled


def run(precision: Precision, sequences: list[list[int]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(build_graph(WEIGHTS, HEAD, precision, CONFIG), options)
    ids = np.zeros((len(sequences), max(map(len, sequences))), np.int64)
    mask = np.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    logits, pooled = session.run(["logits", "pooled"], {"input_ids": ids, "attention_mask": mask})
    return logits, pooled


def sequence(length: int) -> list[int]:
    return [1 + (5 * position + length) % (VOCABULARY - 1) for position in range(length)]


@pytest.mark.parametrize("length", [2, 3, 7, 16, 24])
def test_the_fp32_graph_is_the_model(length: int) -> None:
    logits, pooled = run("fp32", [sequence(length)])
    expected_logits, expected_pooled = reference(sequence(length))
    np.testing.assert_allclose(pooled[0], expected_pooled, atol=1e-4)
    np.testing.assert_allclose(logits[0], expected_logits, atol=1e-4)


def test_padding_changes_nothing() -> None:
    sequences = [sequence(length) for length in (3, 24, 11)]
    logits, _ = run("fp32", sequences)
    np.testing.assert_allclose(logits, [reference(ids)[0] for ids in sequences], atol=1e-4)


def test_the_int8_graph_is_close_and_independent_of_its_neighbours() -> None:
    sequences = [sequence(length) for length in (5, 24, 12)]
    together, pooled = run("int8", sequences)
    exact = np.array([reference(ids)[1] for ids in sequences])
    assert np.linalg.norm(pooled - exact) / np.linalg.norm(exact) < 0.1
    for ids, row in zip(sequences, together, strict=True):
        np.testing.assert_allclose(run("int8", [ids])[0][0], row, atol=1e-5)


def test_the_same_weights_give_the_same_bytes() -> None:
    assert build_graph(WEIGHTS, HEAD, "int8", CONFIG) == build_graph(WEIGHTS, HEAD, "int8", CONFIG)
