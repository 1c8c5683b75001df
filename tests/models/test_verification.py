"""How much of a model is int8: everything where that agrees with fp32, else all but some layers, else nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groundwire.models.catalogue import find_source, resolve
from groundwire.models.head import LABELS
from groundwire.models.model_build import BuiltModel, build_model, compare_here
from groundwire.models.verification import compare, verification_pairs
from groundwire.worker.cli import main
from tests.models import tiny_model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def build(folder: Path, weights: tiny_model.Weights) -> BuiltModel:
    return build_model(find_source(str(tiny_model.write(folder, tiny_model.files(weights)))))


def test_the_pairs_are_balanced_different_and_all_usable() -> None:
    pairs = verification_pairs()
    assert Counter(LABELS[label] for label in pairs.labels) == dict.fromkeys(LABELS, len(pairs.pairs) // 3)
    assert len(set(pairs.pairs)) == len(pairs.pairs) >= 100
    assert all(premise.strip() and hypothesis.strip() for premise, hypothesis in pairs.pairs)


def test_a_model_that_int8_does_not_change_is_all_int8(tmp_path: Path) -> None:
    built = build(tmp_path / "sound", tiny_model.weights())
    assert (built.verification.precision, built.verification.fp32_layers) == ("int8", ())
    assert built.verification.comparison is not None
    assert built.verification.comparison.passed
    assert built.files.model_id == "sound-int8"


@pytest.mark.parametrize("layer", [0, 1])
def test_a_layer_that_int8_ruins_stays_in_fp32(
    tmp_path: Path, layer: int, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    built = build(tmp_path / "outlier", tiny_model.with_outliers(layer))
    found = built.verification
    assert (found.precision, found.fp32_layers) == ("mixed", (layer,))
    assert found.int8 is not None
    assert found.comparison is not None
    assert not found.int8.passed
    assert found.comparison.passed
    assert built.files.model_id == "outlier-mixed"
    assert "can't be all int8" in caplog.text
    assert main(["models", "build", "--model", str(tmp_path / "outlier")]) == 0
    assert f"int8, with layer {layer} in fp32, as all int8 failed: same label for" in capsys.readouterr().out


def test_a_model_that_int8_ruins_everywhere_stays_in_fp32(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    built = build(tmp_path / "outliers", tiny_model.with_outliers(0, 1))
    assert (built.verification.precision, built.verification.fp32_layers) == ("fp32", ())
    assert built.files.model_id == "outliers-fp32"
    assert "stays in fp32" in caplog.text
    assert main(["models", "build", "--model", str(tmp_path / "outliers")]) == 0
    assert "precision fp32, as int8 failed: same label for" in capsys.readouterr().out


def test_a_built_model_is_compared_again_where_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = build(tmp_path / "sound", tiny_model.weights())
    comparison, accuracy = compare_here(built)
    assert built.verification.comparison is not None
    assert comparison.same_label == built.verification.comparison.same_label
    assert comparison.difference == pytest.approx(built.verification.comparison.difference, abs=1e-6)
    assert accuracy == built.verification.accuracy
    assert main(["models", "verify", "--model", str(tmp_path / "sound")]) == 0
    out = capsys.readouterr().out
    assert f"verified  {comparison}" in out
    # random weights know nothing of NLI
    assert "warning   so few are right that it is no NLI model" in out


def test_a_model_is_built_once(tmp_path: Path, cache: Path) -> None:
    files = build(tmp_path / "sound", tiny_model.weights()).files
    before = files.path_onnx.stat().st_mtime_ns
    assert resolve(str(tmp_path / "sound")) == files
    assert files.path_onnx.stat().st_mtime_ns == before
    assert [path.name for path in cache.iterdir()] == [files.path_onnx.parent.name]
    assert not list(cache.rglob(".*"))


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json", "verification.json", "manifest.json"])
def test_a_damaged_cache_is_built_again_with_a_warning(
    tmp_path: Path, damaged: str, caplog: pytest.LogCaptureFixture
) -> None:
    files = build(tmp_path / "sound", tiny_model.weights()).files
    path = files.path_onnx.with_name(damaged)
    path.write_bytes(path.read_bytes()[:-20])
    assert resolve(str(tmp_path / "sound")) == files
    assert "is damaged" in caplog.text
    path.unlink()
    assert resolve(str(tmp_path / "sound")) == files


def test_other_weights_are_another_model(tmp_path: Path) -> None:
    first = build(tmp_path / "sound", tiny_model.weights()).files
    assert build(tmp_path / "sound", tiny_model.weights(seed=9)).files.sha256 != first.sha256


def test_agreement_lets_near_ties_turn_but_nothing_else() -> None:
    reference = np.array([[0.48, 0.47, 0.05], [0.6, 0.3, 0.1], [0.9, 0.05, 0.05], [0.1, 0.1, 0.8]], np.float32)
    candidate = np.array([[0.47, 0.48, 0.05], [0.4, 0.5, 0.1], [0.9, 0.05, 0.05], [np.nan] * 3], np.float32)
    found = compare(candidate, reference)
    assert (found.same_label, found.agreement) == (0.25, 0.5)
    assert found.difference == pytest.approx((0.01 + 0.2 + 0 + 1) / 4)
    assert not found.passed
