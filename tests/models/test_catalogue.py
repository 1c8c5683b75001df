from __future__ import annotations

import subprocess
import sys

import pytest

from groundwire.models import EMBEDDED, LABELS, entries, lookup, resolve
from groundwire.schemas.errors import ModelError

IMPORT = """
import sys
import groundwire.models
print(sorted({"onnx", "onnxruntime", "sklearn", "spacy", "tokenizers"} & set(sys.modules)))
"""


def test_the_embedded_model_is_listed_with_what_a_user_must_know() -> None:
    entry = lookup(EMBEDDED)
    assert entry in entries()
    assert "not to be passed on" in entry.licence
    assert entry.labels == LABELS == ("entailment", "neutral", "contradiction")
    assert entry.accuracy["snli test"] >= 0.90


def test_a_model_is_resolved_to_its_files() -> None:
    files = resolve(EMBEDDED)
    assert files.path_onnx.exists()
    assert files.path_tokenizer.exists()
    assert round(files.path_onnx.stat().st_size / 2**20) == lookup(EMBEDDED).megabytes


def test_an_unknown_model_is_refused_with_the_known_names() -> None:
    with pytest.raises(ModelError, match=r"model 'nonesuch' is unknown; known are: .*embedded"):
        resolve("nonesuch")


def test_importing_the_package_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
