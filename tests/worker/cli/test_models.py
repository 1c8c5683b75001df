from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]


def test_list_states_source_licence_and_accuracy(run: Run) -> None:
    code, out, err = run("models", "list")
    assert (code, err) == (0, "")
    assert out.startswith("embedded: ")
    for word in ("source", "licence", "size", "labels", "accuracy", "pulled"):
        assert f"\n  {word} " in out


def test_build_and_verify_state_the_same_file_and_verify_tries_it(run: Run) -> None:
    code, built, _ = run("models", "build")
    assert code == 0
    assert re.search(r"sha256 +[0-9a-f]{64}\n", built)
    code, verified, _ = run("models", "verify")
    assert code == 0
    assert verified.startswith(built)
    assert "  verified  same label for " in verified
    probabilities = re.findall(r"(?:entailment|neutral|contradiction) (0\.\d{3})\b", verified)
    assert len(probabilities) == 3
    assert all(float(probability) > 1 / 3 for probability in probabilities)


def test_a_model_that_is_not_there_is_named(run: Run) -> None:
    code, out, err = run("models", "verify", "--model", "nosuch")
    assert (code, out) == (2, "")
    assert err.startswith("groundwire: error: model 'nosuch' is unknown: there is no such folder or ONNX file")
