from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from groundwire.models import build_embedded
from groundwire.models.build_cache import MANIFEST, cache_folder, plain_tokenizer
from groundwire.models.embedded import file_sha256
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from groundwire.models import ModelFiles

BUILD = """
import sys
from pathlib import Path
from groundwire.models import build_embedded
print(build_embedded("int8", Path(sys.argv[1])).sha256)
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that two processes filled at the same time."""
    folder = tmp_path_factory.mktemp("cache")
    command = [sys.executable, "-c", BUILD, str(folder)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    hashes = {process.communicate()[0].strip() for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert hashes == {build_embedded("int8", folder).sha256}
    return folder


@pytest.fixture
def files(cache: Path) -> ModelFiles:
    return build_embedded("int8", cache)


def test_two_processes_that_build_at_once_leave_one_intact_model(cache: Path, files: ModelFiles) -> None:
    assert file_sha256(files.path_onnx) == files.sha256
    assert len(list(cache.iterdir())) == 1
    assert {path.name for path in files.path_onnx.parent.iterdir()} == {"model.onnx", "tokenizer.json", MANIFEST}


def test_a_built_model_is_used_again(files: ModelFiles, cache: Path) -> None:
    before = files.path_onnx.stat().st_mtime_ns
    assert build_embedded("int8", cache) == files
    assert files.path_onnx.stat().st_mtime_ns == before


def test_the_same_input_gives_the_same_bytes(files: ModelFiles, embedded_files: ModelFiles) -> None:
    assert files.sha256 == embedded_files.sha256


@pytest.mark.parametrize("damaged", ["model.onnx", MANIFEST])
def test_a_damaged_file_is_built_again_with_a_warning(
    files: ModelFiles, cache: Path, damaged: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = files.path_onnx.parent / damaged
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert build_embedded("int8", cache) == files
    assert file_sha256(files.path_onnx) == files.sha256
    assert "damaged" in caplog.text


def test_another_precision_is_refused() -> None:
    with pytest.raises(ModelError, match=r"'int4' is unknown; use one of int8, fp32"):
        build_embedded("int4")


def test_a_cache_that_is_no_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="GROUNDWIRE_CACHE_DIR"):
        build_embedded("int8", tmp_path / "file")


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GROUNDWIRE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "groundwire"
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("GROUNDWIRE_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "groundwire"


def test_a_plain_tokenizer_has_no_reserved_piece_that_text_could_match() -> None:
    definition = {
        "truncation": {"max_length": 160},
        "padding": {"pad_id": 0},
        "added_tokens": [{"content": "[SEP]"}],
        "post_processor": {"type": "TemplateProcessing"},
        "model": {"type": "Unigram", "unk_id": 1, "vocab": [["[SEP]", 0.0], ["[UNK]", 0.0], ["\u2581a", -2.5]]},
    }
    plain = json.loads(json.dumps(plain_tokenizer(definition)))
    assert plain["model"]["vocab"] == [["[SEP] reserved", 0.0], ["[UNK] reserved", 0.0], ["\u2581a", -2.5]]
    assert plain["model"]["unk_id"] == 1
    assert [plain[key] for key in ("truncation", "padding", "added_tokens", "post_processor")] == [None, None, [], None]
