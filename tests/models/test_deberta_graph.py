"""The graph against logits of transformers' DeBERTa-v2, for small random models that between them have every part.

benchmarks/exactness.py wrote golden.npz, and compares models of real sizes in the same way.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
import pytest

from groundwire.models.deberta_config import DebertaConfig
from groundwire.models.deberta_graph import Precision, build_graph
from groundwire.models.graph_writer import serialise
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.float32]]

with np.load(Path(__file__).parent / "data" / "golden.npz") as _file:
    GOLDEN: dict[str, NDArray[Any]] = dict(_file)

MODELS = sorted({name.split("/")[0] for name in GOLDEN})
LENGTHS = sorted({int(name.split("/")[1]) for name in GOLDEN if name.endswith("/logits")})


def config_of(model: str) -> DebertaConfig:
    return DebertaConfig.from_json(json.loads(str(GOLDEN[f"{model}/config"])))


def weights_of(model: str) -> Arrays:
    start = f"{model}/weights/"
    return {name.removeprefix(start): value for name, value in GOLDEN.items() if name.startswith(start)}


def session_of(model: str, precision: Precision, fp32_layers: frozenset[int] = frozenset()) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    graph = build_graph(weights_of(model), config_of(model), precision, fp32_layers)
    return onnxruntime.InferenceSession(serialise(graph), options)


def feed_of(model: str, length: int) -> dict[str, NDArray[np.int64]]:
    return {name: GOLDEN[f"{model}/{length}/{name}"].astype(np.int64) for name in ("input_ids", "attention_mask")}


@pytest.mark.parametrize("model", MODELS)
def test_the_fp32_graph_is_the_model_alone_and_padded_at_any_length(model: str) -> None:
    session = session_of(model, "fp32")
    for length in LENGTHS:
        feed = feed_of(model, length)
        expected = GOLDEN[f"{model}/{length}/logits"]
        np.testing.assert_allclose(session.run(["logits"], feed)[0], expected, atol=1e-4, err_msg=f"length {length}")
        alone = {name: values[:1] for name, values in feed.items()}
        np.testing.assert_allclose(session.run(["logits"], alone)[0], expected[:1], atol=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_a_row_of_the_int8_graph_does_not_depend_on_its_neighbours(model: str) -> None:
    session = session_of(model, "int8")
    feed = feed_of(model, max(LENGTHS))
    together = session.run(["logits"], feed)[0]
    for place, row in enumerate(together):
        length = int(feed["attention_mask"][place].sum())
        alone = {name: values[place : place + 1, :length] for name, values in feed.items()}
        np.testing.assert_allclose(session.run(["logits"], alone)[0][0], row, atol=1e-4)


def distance(model: str, precision: Precision, fp32_layers: frozenset[int] = frozenset()) -> float:
    session = session_of(model, precision, fp32_layers)
    feeds = {length: feed_of(model, length) for length in LENGTHS}
    wanted = {length: GOLDEN[f"{model}/{length}/logits"] for length in LENGTHS}
    return float(np.mean([np.abs(session.run(["logits"], feeds[n])[0] - wanted[n]).mean() for n in LENGTHS]))


@pytest.mark.parametrize("model", MODELS)
def test_layers_kept_in_fp32_bring_an_int8_graph_back_to_the_model(model: str) -> None:
    every_layer = frozenset(range(config_of(model).layers))
    assert distance(model, "int8", every_layer) < distance(model, "int8")


def test_the_same_weights_give_the_same_bytes() -> None:
    first, second = (serialise(build_graph(weights_of("0"), config_of("0"), "int8")) for _ in range(2))
    assert first == second


def test_a_missing_weight_is_named() -> None:
    weights = weights_of("0")
    del weights["deberta.encoder.layer.1.output.dense.weight"]
    with pytest.raises(ModelError, match=r"layer\.1\.output\.dense\.weight"):
        build_graph(weights, config_of("0"), "fp32")


def test_weights_of_another_model_are_refused() -> None:
    with pytest.raises(ModelError, match=r"word_embeddings.*config\.json"):
        build_graph(weights_of("0"), DebertaConfig(99, 8, 3, 2, 12, ("a", "b", "c")), "fp32")
