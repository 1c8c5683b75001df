from __future__ import annotations

from typing import Any

import pytest

from groundwire.worker.evaluate.labels import SUPPORTED, UNSUPPORTED, read_label


@pytest.mark.parametrize("value", [True, 1, 1.0, *SUPPORTED, "Supported", " TRUE "])
def test_labels_of_supported_answers(value: Any) -> None:
    assert read_label(value) is True


@pytest.mark.parametrize("value", [False, 0, 0.0, *UNSUPPORTED, "not_supported", "Not-Attributable"])
def test_labels_of_unsupported_answers(value: Any) -> None:
    assert read_label(value) is False


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "is null"),
        (2, "is 2"),
        (0.5, "is 0.5"),
        ([True], "is a list"),
        ("partially_supported", "is 'partially_supported'"),
        ("", "is a string of 0 characters"),
        ("The quokka is a small marsupial.", "is a string of 32 characters"),
    ],
)
def test_anything_else_is_refused_and_no_text_is_quoted(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match="a label is true or false, 1 or 0") as refused:
        read_label(value)
    assert str(refused.value).startswith(f"{said}; ")
    assert "quokka" not in str(refused.value)
