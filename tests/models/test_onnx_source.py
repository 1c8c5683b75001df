"""Ready ONNX graphs run as they are, with their columns in Groundwire's order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from groundwire.models import LABELS, NliEngine, resolve
from groundwire.models.catalogue import find_source
from groundwire.models.deberta_config import DebertaConfig
from groundwire.models.deberta_graph import build_graph
from groundwire.models.model_build import build_model
from groundwire.schemas.errors import ModelError
from tests.models import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [("A short premise.", "A hypothesis."), ("One.", "Another, and a longer one it is.")]
THEIRS = ("contradiction", "entailment", "neutral")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path / "cache"))


def graph(labels: int = 3, *, segments: bool = False) -> onnx.ModelProto:
    """The checkpoint's graph in its own label order, as an exporter writes it."""
    config = DebertaConfig.from_json(tiny_model.CONFIG | {"id2label": {str(n): f"{n}" for n in range(labels)}})
    made = build_graph(tiny_model.weights(labels), config, "fp32")
    del made.graph.output[1:]
    if segments:
        made.graph.input.append(helper.make_tensor_value_info("token_type_ids", TensorProto.INT64, ["batch", "length"]))
        made.graph.node.append(helper.make_node("Identity", ["token_type_ids"], ["unused"]))
    return made


def write(folder: Path, model: onnx.ModelProto | bytes, name: str = "model.onnx", **config: object) -> Path:
    files = tiny_model.files(**config)
    del files["model.safetensors"]
    content = model if isinstance(model, bytes) else model.SerializeToString()
    return tiny_model.write(folder, files | {name: content})


def probabilities(name: Path) -> np.ndarray:
    return NliEngine.load(resolve(str(name)), threads=1).score(PAIRS)


@pytest.mark.parametrize("place", ["model.onnx", "onnx/model.onnx"])
@pytest.mark.parametrize("segments", [False, True])
def test_a_graph_gives_what_the_checkpoint_gives(tmp_path: Path, place: str, *, segments: bool) -> None:
    folder = write(tmp_path / "exported", graph(segments=segments), place)
    found = probabilities(folder)
    weights = tiny_model.write(tmp_path / "weights", tiny_model.files())
    np.testing.assert_allclose(found, probabilities(weights), atol=0.02)
    # the file itself is a name too
    np.testing.assert_array_equal(found, probabilities(folder / place))


def test_columns_go_by_id2label_and_not_by_position(tmp_path: Path) -> None:
    first = probabilities(write(tmp_path / "a", graph(), id2label=dict(enumerate(THEIRS))))
    turned = (THEIRS[1], THEIRS[2], THEIRS[0])
    second = probabilities(write(tmp_path / "b", graph(), id2label=dict(enumerate(turned))))
    for label in LABELS:
        meant = THEIRS[turned.index(label)]
        np.testing.assert_array_equal(second[:, LABELS.index(label)], first[:, LABELS.index(meant)])


def test_a_graph_is_taken_as_given_and_says_so(tmp_path: Path) -> None:
    built = build_model(find_source(str(write(tmp_path / "exported", graph()))))
    assert built.verification.precision == "as given"
    assert built.verification.comparison is None
    assert built.files.model_id == "exported-as-given"


def test_a_graph_that_quantises_at_run_time_gives_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = graph()
    model.graph.node.append(helper.make_node("DynamicQuantizeLinear", ["pooled"], ["q", "scale", "zero"]))
    resolve(str(write(tmp_path / "quantised", model)))
    assert "quantises activations at run time" in caplog.text


@pytest.mark.parametrize(
    ("model", "config", "message"),
    [
        (graph(2), {}, "logits has 2 columns"),
        (graph(segments=True), {"type_vocab_size": 2}, "its inputs are input_ids, attention_mask, token_type_ids"),
        (graph().SerializeToString()[:200], {}, r"model\.onnx: truncated, or no ONNX model .* get it again"),
        (b"", {}, "model.onnx: truncated, or no ONNX model"),
        (graph(), {"id2label": None}, "has no id2label"),
        (graph(), {"max_position_embeddings": "long"}, "max_position_embeddings of its config.json is 'long'"),
    ],
)
def test_a_graph_that_cannot_run_is_refused(
    tmp_path: Path, model: onnx.ModelProto | bytes, config: dict[str, object], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        resolve(str(write(tmp_path / "exported", model, **config)))


def test_a_graph_without_logits_is_refused(tmp_path: Path) -> None:
    model = graph()
    model.graph.output[0].name = "scores"
    model.graph.node[-1].output[0] = "scores"
    with pytest.raises(ModelError, match="it has no output logits"):
        resolve(str(write(tmp_path / "exported", model)))
