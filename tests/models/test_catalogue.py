from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groundwire.models import EMBEDDED, LABELS, NliEngine, entries, lookup, resolve
from groundwire.models.known_models import KNOWN_MODELS
from groundwire.schemas.errors import ModelError
from groundwire.worker.cli import main
from tests.models import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

IMPORT = """
import sys
import groundwire.models
print(sorted({"huggingface_hub", "onnx", "onnxruntime", "sklearn", "spacy", "tokenizers"} & set(sys.modules)))
"""


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path / "cache"))


def test_the_embedded_model_is_listed_with_what_a_user_must_know() -> None:
    entry = lookup(EMBEDDED)
    assert entry in entries()
    assert "not to be passed on" in entry.licence
    assert entry.labels == LABELS == ("entailment", "neutral", "contradiction")
    assert entry.accuracy["snli test"] >= 0.90


@pytest.mark.parametrize("entry", KNOWN_MODELS, ids=lambda entry: entry.name)
def test_a_published_model_is_listed_with_licence_source_labels_and_accuracy(entry: object) -> None:
    assert entry in entries()
    known = lookup(entry.name)  # type: ignore[attr-defined]  # ids need the entry itself
    assert known.source == f"https://huggingface.co/{known.name}"
    assert known.licence in {"Apache-2.0", "MIT"}
    assert all(0 < share < 1 for share in known.accuracy.values())
    assert known.accuracy
    assert (set(known.labels) == set(LABELS)) == (known.unusable is None)


def test_a_model_is_resolved_to_its_files() -> None:
    files = resolve(EMBEDDED)
    assert files.path_onnx.exists()
    assert files.path_tokenizer.exists()


@pytest.mark.parametrize("name", ["nonesuch", "/no/such/folder", "no/such/model.onnx", "a/b/c"])
def test_a_name_that_is_nothing_is_refused_with_what_it_could_be(name: str) -> None:
    with pytest.raises(ModelError, match=rf"model '{name}' is unknown: .* `groundwire models list` shows those known"):
        resolve(name)


def test_importing_the_package_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.usefixtures("cache")
def test_the_label_order_of_a_folder_is_that_of_its_config(tmp_path: Path) -> None:
    orders = (("contradiction", "entailment", "neutral"), ("neutral", "contradiction", "entailment"))
    found = []
    for order in orders:
        folder = tiny_model.write(tmp_path / order[0], tiny_model.files(id2label=dict(enumerate(order))))
        found.append(NliEngine.load(resolve(str(folder)), threads=1).score([("A premise.", "A claim.")]))
    by_column = [
        {place: p[0, LABELS.index(label)] for place, label in enumerate(o)} for o, p in zip(orders, found, strict=True)
    ]
    np.testing.assert_allclose(list(by_column[0].values()), list(by_column[1].values()), atol=1e-6)


def changed(name: str, content: bytes | None) -> dict[str, bytes]:
    files = tiny_model.files()
    del files[name]
    return files | ({} if content is None else {name: content})


OTHER_TOKENIZER = json.dumps({"model": {"type": "BPE", "vocab": {}, "merges": []}}).encode()
HEADLESS = {name: values for name, values in tiny_model.weights().items() if not name.startswith("classifier")}


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("files", "message"),
    [
        (changed("config.json", None), "config.json is missing; it states the model's shape and labels"),
        (changed("tokenizer.json", None), "tokenizer.json is missing; write it with AutoTokenizer"),
        (changed("model.safetensors", None), "has neither model.safetensors nor model.onnx"),
        (changed("model.safetensors", None) | {"pytorch_model.bin": b"x"}, "can run code when it is read"),
        (changed("config.json", b"{"), "config.json: truncated, or no JSON"),
        (changed("config.json", b"[]"), "config.json: holds no JSON object"),
        (changed("tokenizer.json", OTHER_TOKENIZER), "its tokenizer is not DeBERTa-v2's or v3's"),
        (changed("tokenizer.json", b"{}"), "its tokenizer.json is damaged"),
        (changed("model.safetensors", tiny_model.files()["model.safetensors"][:500]), "model.safetensors: truncated"),
        (tiny_model.files(HEADLESS), "has no classifier.weight, so it is an encoder that was never trained"),
        (tiny_model.files(tiny_model.weights(labels=2)), "its classifier gives 2 logits, but its id2label names 3"),
        (tiny_model.files(intermediate_size=32), "they are not of the same model"),
        (tiny_model.files(id2label={"0": "entailment", "1": "not_entailment"}), "has 2 labels"),
        (tiny_model.files(id2label=None), "has no id2label"),
        (tiny_model.files(conv_kernel_size=3), "conv_kernel_size is 3"),
    ],
)
def test_a_folder_that_cannot_run_is_refused_by_every_command_that_loads_it(
    tmp_path: Path, files: dict[str, bytes], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny_model.write(tmp_path / "model", files)
    for action in ("build", "verify"):
        assert main(["models", action, "--model", str(folder)]) == 2
        err = capsys.readouterr().err.splitlines()[-1]
        assert err.startswith("groundwire: error: ")
        assert message in err
