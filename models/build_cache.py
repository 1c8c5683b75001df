"""Builds the embedded model on the user's machine, once, and keeps it in a cache folder.

The folder's name holds a key over everything that the result depends on, so another package, head or builder makes
another folder. Files are written under a temporary name and renamed; the manifest, which states their hashes, comes
last. Two processes that build at once write the same bytes, so it doesn't matter whose file stays. A process that dies
half-way leaves no manifest, or files that don't match it, and the next one builds again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from pathlib import Path
from typing import Any

from groundwire.models.atomic_files import write_atomically
from groundwire.models.embedded import (
    CONFIG,
    MODEL_SHA256,
    TOKENIZER_SHA256,
    file_sha256,
    read_tokenizer,
    read_weights,
)
from groundwire.models.head import Head, load_head
from groundwire.models.model_files import ModelFiles
from groundwire.schemas.errors import ModelError

PRECISIONS = ("int8", "fp32")

BUILDER_VERSION = 4
"""Raised with every change of the graph or the tokenizer's definition that should reach users' caches."""

CACHE_VARIABLE = "GROUNDWIRE_CACHE_DIR"
MANIFEST = "manifest.json"

_GRAPH_FILE = "model.onnx"
_TOKENIZER_FILE = "tokenizer.json"
_KEY_DIGITS = 16

_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Give Groundwire's cache folder: GROUNDWIRE_CACHE_DIR, else `groundwire` under the user's cache folder."""
    own = os.environ.get(CACHE_VARIABLE)
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "groundwire"


def build_embedded(precision: str = "int8", cache: Path | None = None, head: Head | None = None) -> ModelFiles:
    """Give the embedded model's files, built now if the cache has none that are intact.

    Args:
        precision: `int8`, or `fp32`: three times the size and half the speed, there to compare with.
        cache: Cache folder; default `cache_folder()`.
        head: Another head than the one that comes with Groundwire, as for fitting one.

    Raises:
        ModelError: Another precision, a package is missing or altered, or the cache folder can't be written.
    """
    if precision not in PRECISIONS:
        raise ModelError(f"precision {precision!r} is unknown; use one of {', '.join(PRECISIONS)}")
    head = head or load_head()
    parts = (MODEL_SHA256, TOKENIZER_SHA256, head.sha256, str(BUILDER_VERSION), precision)
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_KEY_DIGITS]
    folder = (cache or cache_folder()) / f"embedded-{precision}-{key}"
    try:
        return _intact(folder, precision) or _build(folder, precision, head)
    except OSError as error:
        raise ModelError(
            f"the cache folder {folder} can't be used ({error.strerror}); set {CACHE_VARIABLE} to a folder that can"
        ) from error


def _intact(folder: Path, precision: str) -> ModelFiles | None:
    """Give the cached files if they are what the manifest says."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    try:
        manifest = json.loads(path.read_bytes())
        damaged = [name for name in (_GRAPH_FILE, _TOKENIZER_FILE) if file_sha256(folder / name) != manifest[name]]
    except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
        damaged = [f"{type(error).__name__}: {error}"]
    if damaged:
        _log.warning("cached model in %s is damaged (%s): building it again", folder, ", ".join(damaged))
        return None
    return _files(folder, precision, manifest)


def _files(folder: Path, precision: str, manifest: dict[str, str]) -> ModelFiles:
    return ModelFiles(
        path_onnx=folder / _GRAPH_FILE,
        path_tokenizer=folder / _TOKENIZER_FILE,
        model_id=f"embedded-deberta-v3-xsmall-{precision}",
        sha256=manifest[_GRAPH_FILE],
        max_tokens=CONFIG.max_tokens,
    )


def _build(folder: Path, precision: str, head: Head) -> ModelFiles:
    folder.mkdir(parents=True, exist_ok=True)
    _log.info("building the embedded model in %s", folder)
    weights = read_weights()
    tokenizer = read_tokenizer()
    # onnx comes with the extra `embedded`, and read_weights has said so if it is missing
    from groundwire.models.deberta_graph import build_graph  # noqa: PLC0415
    from groundwire.models.graph_writer import serialise  # noqa: PLC0415

    weights |= {"classifier.weight": head.weight.T, "classifier.bias": head.bias}
    contents = {
        _GRAPH_FILE: serialise(build_graph(weights, CONFIG, "fp32" if precision == "fp32" else "int8")),
        _TOKENIZER_FILE: json.dumps(plain_tokenizer(tokenizer), ensure_ascii=False).encode(),
    }
    manifest = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    contents[MANIFEST] = json.dumps(manifest, indent=2).encode()
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return _files(folder, precision, manifest)


def plain_tokenizer(definition: dict[str, Any]) -> dict[str, Any]:
    """Rewrite a unigram tokenizer's definition so that it turns text into nothing but text tokens.

    Truncation and padding are removed, and so is everything by which text could spell out a control token: the list of
    added tokens, which are searched for in the text, the template that adds them, and the vocabulary's entries for
    control and byte tokens. Those entries have to stay, as ids are positions, but get a space into their names: the
    pre-tokenizer turns every space of a text into another character, so that no text matches them any more.
    """
    model = definition["model"]
    # control and byte tokens come first and have the score 0, which no piece of text has
    vocabulary = [[f"{piece} reserved", score] if score == 0 else [piece, score] for piece, score in model["vocab"]]
    return definition | {
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "post_processor": None,
        "model": model | {"vocab": vocabulary},
    }
