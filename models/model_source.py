"""The files that a model is made from: a pulled one of the Hub, a folder, or an ONNX file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.models.build_cache import plain_tokenizer
from groundwire.models.embedded import file_sha256
from groundwire.models.label_order import columns_of
from groundwire.models.model_lock import check_lock, read_lock
from groundwire.models.pair_encoding import CLS, SEP
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = "config.json"
TOKENIZER = "tokenizer.json"
WEIGHTS = "model.safetensors"
SHARDS = "model.safetensors.index.json"
"""States which of several files holds each of a large checkpoint's tensors."""

GRAPHS = ("model.onnx", "onnx/model.onnx")
"""Where Optimum and the Hub's repositories put an export."""

PICKLES = (".bin", ".pt", ".pth", ".ckpt")
"""Endings of files that run code when they are read, so that Groundwire does not read them."""

PICKLE_ADVICE = (
    "has its weights only in a format that can run code when it is read; convert them once where you trust them: "
    "AutoModelForSequenceClassification.from_pretrained(…).save_pretrained(folder, safe_serialization=True), "
    "or use another revision or model"
)

_PAD = 0
_CONTROL = {_PAD: "[PAD]", CLS: "[CLS]", SEP: "[SEP]"}
_BYTE_PIECES = frozenset(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True)
class ModelSource:
    """A model before it is built.

    Attributes:
        name: What results and messages call it.
        config: Its config.json.
        tokenizer: Its tokenizer.json, so that text can't spell out a control token.
        columns: Which columns of its logits are entailment, neutral and contradiction.
        weights: Its safetensors files; none if it is an ONNX graph.
        graph: Its ONNX graph; None if it is made of weights.
        hashes: SHA-256 of each file by its name.
    """

    name: str
    config: dict[str, Any]
    tokenizer: dict[str, Any]
    columns: tuple[int, int, int]
    weights: tuple[Path, ...]
    graph: Path | None
    hashes: dict[str, str]


def read_folder(folder: Path, name: str) -> ModelSource:
    """Read a model's folder and check its files against its lock file, where it has one.

    Weights are preferred to an ONNX graph: the graph that Groundwire builds is the faster one.

    Raises:
        ModelError: A file is missing, altered or unusable, or the model is none that Groundwire can run.
    """
    lock = read_lock(folder)
    if lock is not None:
        check_lock(folder, lock)
    settings = (_required(folder, CONFIG, name), _required(folder, TOKENIZER, name))
    # a file that came into a pulled folder later is none of the model's
    there = [file for file in (WEIGHTS, SHARDS, *GRAPHS) if (file in lock.files if lock else (folder / file).is_file())]
    if not there:
        raise ModelError(f"model {name} ({folder}): {_no_weights(folder)}")
    first = folder / there[0]
    weights: tuple[Path, ...] = ()
    graph: Path | None = None
    if there[0] == WEIGHTS:
        weights = (first,)
    elif there[0] == SHARDS:
        weights = tuple(folder / shard for shard in shards_of(first))
    else:
        graph = first
    known = {file: entry.sha256 for file, entry in lock.files.items()} if lock else {}
    files = {path.relative_to(folder).as_posix(): path for path in (*settings, *weights, *([graph] if graph else []))}
    hashes = {file: known.get(file) or _sha256(path) for file, path in files.items()}
    return _source(name, settings, weights, graph, hashes)


def read_graph(graph: Path, name: str) -> ModelSource:
    """Read a model that is an ONNX file, with its config.json and tokenizer.json beside it or one folder up.

    Raises:
        ModelError: A file is missing or unusable, or the model is none that Groundwire can run.
    """
    beside = next((f for f in (graph.parent, graph.parent.parent) if (f / CONFIG).is_file()), graph.parent)
    settings = (_required(beside, CONFIG, name), _required(beside, TOKENIZER, name))
    return _source(name, settings, (), graph, {path.name: _sha256(path) for path in (*settings, graph)})


def _source(
    name: str, settings: tuple[Path, Path], weights: tuple[Path, ...], graph: Path | None, hashes: dict[str, str]
) -> ModelSource:
    config, tokenizer = (_read_json(path) for path in settings)
    columns = columns_of(config, name)
    return ModelSource(name, config, _text_tokenizer(tokenizer, name), columns, weights, graph, hashes)


def _required(folder: Path, file: str, name: str) -> Path:
    path = folder / file
    if path.is_file():
        return path
    advice = {
        CONFIG: "it states the model's shape and labels; copy it from where the model comes from",
        TOKENIZER: "write it with AutoTokenizer.from_pretrained(…, use_fast=True).save_pretrained(folder)",
    }[file]
    raise ModelError(f"model {name}: {path} is missing; {advice}")


def shards_of(index: Path) -> list[str]:
    """Give the names of the files that a checkpoint's index lists.

    Raises:
        ModelError: It is no index, or names a file outside its folder.
    """
    files = _read_json(index).get("weight_map")
    names = sorted(set(files.values())) if isinstance(files, dict) else []
    if not names or not all(isinstance(name, str) and "/" not in name and "\\" not in name for name in names):
        raise ModelError(f"{index}: lists no files beside it; get it again")
    return names


def _no_weights(folder: Path) -> str:
    if any(path.suffix in PICKLES for path in folder.iterdir()):
        return PICKLE_ADVICE
    return f"has neither {WEIGHTS} nor {GRAPHS[0]}; give the folder that a model was saved to"


def _text_tokenizer(definition: dict[str, Any], name: str) -> dict[str, Any]:
    """Rewrite a tokenizer so that it gives nothing but text tokens; the engine adds the control tokens itself."""
    try:
        model = definition["model"]
        pieces = [piece for piece, _ in model["vocab"]] if model["type"] == "Unigram" else []
        if any(pieces[row : row + 1] != [control] for row, control in _CONTROL.items()):
            raise ModelError(
                f"model {name}: its tokenizer is not DeBERTa-v2's or v3's (a Unigram model that begins with "
                f"{', '.join(_CONTROL.values())}); Groundwire runs DeBERTa-v2 and v3 models"
            )
        plain = plain_tokenizer(definition)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"model {name}: its {TOKENIZER} is damaged ({type(error).__name__}); get it again") from error
    if model.get("byte_fallback"):
        # pieces that stand for one byte each of a character that has no piece: text that needs them must find them
        for row, piece in enumerate(pieces):
            if piece in _BYTE_PIECES:
                plain["model"]["vocab"][row] = model["vocab"][row]
    return plain


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path}: can't be read ({error.strerror})") from error
    except ValueError as error:
        raise ModelError(f"{path}: truncated, or no JSON ({error}); get it again") from error
    if not isinstance(content, dict):
        raise ModelError(f"{path}: holds no JSON object; get it again")
    return content


def _sha256(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError as error:
        raise ModelError(f"{path}: can't be read ({error.strerror})") from error
