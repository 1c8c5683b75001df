from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from groundwire.models.calibration import CALIBRATION_FILE, RAW, Calibration
from groundwire.models.embedder import SentenceEmbedder
from groundwire.models.relevance import Relevance, load_relevance
from groundwire.models.relevance_files import folder_files, resolve_relevance
from groundwire.models.reranker import CrossEncoder
from groundwire.models.window_runner import WindowRunner
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "cat", "dog", "sat", "rain", "fell"]
SIZE = len(VOCABULARY)


def write_embedder(folder: Path, *, graph: str = "model.onnx", quantised: bool = False) -> Path:
    """Write an embedder whose token vectors are one-hot: a text's vector is its bag of words."""
    table = np.eye(SIZE, dtype=np.float32)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    if quantised:
        nodes = [
            helper.make_node("Gather", ["table", "input_ids"], ["exact"]),
            helper.make_node("DynamicQuantizeLinear", ["exact"], ["bytes", "step", "zero"]),
            helper.make_node("DequantizeLinear", ["bytes", "step", "zero"], ["last_hidden_state"]),
        ]
    return _write(folder, graph, nodes, {"table": table}, {"last_hidden_state": ["batch", "length", SIZE]})


def write_reranker(folder: Path) -> Path:
    """Write a reranker whose logit counts the tokens `cat` of an input, less one."""
    counted = np.zeros((SIZE, 1), np.float32)
    counted[VOCABULARY.index("cat")] = 1
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["counts"]),
        helper.make_node("ReduceSum", ["counts", "axis"], ["sum"], keepdims=0),
        helper.make_node("Sub", ["sum", "one"], ["logits"]),
    ]
    constants = {"table": counted, "axis": np.array([1], np.int64), "one": np.array(1, np.float32)}
    return _write(folder, "model.onnx", nodes, constants, {"logits": ["batch", 1]})


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def _write(
    folder: Path,
    graph: str,
    nodes: list[onnx.NodeProto],
    constants: dict[str, np.ndarray],
    outputs: dict[str, list[str | int]],
) -> Path:
    path = folder / graph
    path.parent.mkdir(parents=True, exist_ok=True)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
    stored = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "tiny", inputs, given, stored),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    )
    path.write_bytes(model.SerializeToString())
    vocabulary = {token: row for row, token in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - a token of text
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def vectors(folder: Path, texts: list[str]) -> np.ndarray:
    files = folder_files(folder)
    return SentenceEmbedder(files, WindowRunner(files, 1)).embed(texts)


def reranker(folder: Path) -> Relevance:
    return load_relevance(str(write_reranker(folder)), calibration=RAW)


def test_an_embedders_folder_is_loaded_and_pools_the_mean(tmp_path: Path) -> None:
    (vector,) = vectors(write_embedder(tmp_path), ["a cat"])
    assert dict(zip(VOCABULARY, vector.tolist(), strict=True)) == {
        token: pytest.approx(0.5 if token in {"[CLS]", "[SEP]", "a", "cat"} else 0, abs=1e-6) for token in VOCABULARY
    }


def test_the_graph_may_lie_in_the_folder_onnx(tmp_path: Path) -> None:
    assert vectors(write_embedder(tmp_path, graph="onnx/model.onnx"), ["a cat"]).shape == (1, SIZE)


@pytest.mark.parametrize(
    "config",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "include_prompt": True},
        {"pooling_mode": "cls"},
    ],
)
def test_pooling_by_the_first_token(tmp_path: Path, config: dict[str, object]) -> None:
    write_json(write_embedder(tmp_path) / "1_Pooling" / "config.json", config)
    assert vectors(tmp_path, ["a cat"])[0, VOCABULARY.index("[CLS]")] == 1


@pytest.mark.parametrize(
    "config",
    [{"pooling_mode_max_tokens": True}, {"pooling_mode": "lasttoken"}, {}, {"pooling_mode_mean_tokens": False}],
)
def test_other_pooling_is_refused(tmp_path: Path, config: dict[str, object]) -> None:
    write_json(write_embedder(tmp_path) / "1_Pooling" / "config.json", config)
    with pytest.raises(ModelError, match="pooling"):
        folder_files(tmp_path)


def test_layers_behind_the_graph_are_refused(tmp_path: Path) -> None:
    kinds = ["Transformer", "Pooling", "Dense", "Normalize"]
    modules = [{"idx": place, "type": f"sentence_transformers.models.{kind}"} for place, kind in enumerate(kinds)]
    write_json(write_embedder(tmp_path) / "modules.json", modules)
    with pytest.raises(ModelError, match="Dense"):
        folder_files(tmp_path)


def test_the_stated_length_is_kept(tmp_path: Path) -> None:
    assert folder_files(write_embedder(tmp_path)).max_tokens == 8  # from the tokenizer's truncation
    write_json(tmp_path / "sentence_bert_config.json", {"max_seq_length": 6})
    assert folder_files(tmp_path).max_tokens == 6


def test_a_long_text_counts_as_a_whole(tmp_path: Path) -> None:
    write_embedder(tmp_path)
    (vector,) = vectors(tmp_path, ["cat " * 20 + "dog " * 20])
    assert vector[VOCABULARY.index("cat")] == pytest.approx(vector[VOCABULARY.index("dog")], rel=0.3)


def test_a_graph_that_quantises_whole_batches_gets_one_text_at_a_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_embedder(tmp_path, quantised=True)
    texts = ["a cat", "dog", "rain fell", "a a a a"]
    with caplog.at_level(logging.WARNING):
        together = vectors(tmp_path, texts)
    assert "quantises activations at run time" in caplog.text
    assert (together == np.concatenate([vectors(tmp_path, [text]) for text in texts])).all()


def test_a_reranker_is_known_by_its_graph(tmp_path: Path) -> None:
    model = reranker(tmp_path)
    assert isinstance(model, CrossEncoder)
    scores = model.relevance(["a", "cat"], ["cat", "dog", "cat", "cat cat"])
    logits = np.array([[0, -1, 0, 1], [1, 0, 1, 2]])
    assert scores == pytest.approx(1 / (1 + np.exp(-logits)), abs=1e-6)
    assert scores.dtype == np.float32


def test_a_reranker_of_nothing_gives_an_empty_matrix(tmp_path: Path) -> None:
    model = reranker(tmp_path)
    assert model.relevance([], ["a"]).shape == (0, 1)
    assert model.relevance(["a"], []).shape == (1, 0)


def test_what_exceeds_a_rerankers_length_is_read_to_its_end(tmp_path: Path) -> None:
    model = reranker(tmp_path)
    filler = "rain " * 30
    ((early, late, none),) = model.relevance(["dog"], ["cat " + filler, filler + "cat", filler])
    assert early == late == pytest.approx(0.5)
    assert none == pytest.approx(1 / (1 + np.e))
    ((long_query,),) = model.relevance([filler + "cat"], ["dog"])
    assert none < long_query < early


def test_control_tokens_in_a_text_are_text(tmp_path: Path) -> None:
    spelt, plain = vectors(write_embedder(tmp_path), ["[SEP] cat", "cat"])
    assert spelt[VOCABULARY.index("[SEP]")] == pytest.approx(spelt[VOCABULARY.index("[CLS]")])
    assert plain[VOCABULARY.index("[UNK]")] == 0 < spelt[VOCABULARY.index("[UNK]")]


def test_a_model_without_a_calibration_says_how_to_fit_one(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"python -m groundwire\.models\.fit_relevance DATA --model"):
        load_relevance(str(write_embedder(tmp_path)))


def test_a_calibration_in_the_folder_is_used_for_its_own_graph_only(tmp_path: Path) -> None:
    files = folder_files(write_embedder(tmp_path))
    write_json(tmp_path / CALIBRATION_FILE, {files.sha256: {"floor": 0.3, "ceiling": 0.6}})
    assert load_relevance(str(tmp_path)).calibration == Calibration(0.3, 0.6)
    write_embedder(tmp_path, quantised=True)
    with pytest.raises(ModelError, match="no relevance floor and ceiling"):
        load_relevance(str(tmp_path))


@pytest.mark.parametrize("record", [{}, {"floor": 0.6, "ceiling": 0.3}, {"floor": "x", "ceiling": 1}, None])
def test_a_damaged_calibration_is_refused(tmp_path: Path, record: object) -> None:
    files = folder_files(write_embedder(tmp_path))
    write_json(tmp_path / CALIBRATION_FILE, {files.sha256: record})
    with pytest.raises(ModelError, match="damaged"):
        load_relevance(str(tmp_path))


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="unknown"):
        resolve_relevance(str(tmp_path / "missing"))
    with pytest.raises(ModelError, match=r"model\.onnx"):
        resolve_relevance(str(tmp_path))
    write_embedder(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match="can't be loaded"):
        load_relevance(str(tmp_path), calibration=RAW)
    write_embedder(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="tokenizer"):
        load_relevance(str(tmp_path), calibration=RAW)
