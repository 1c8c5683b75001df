"""Builds a pulled or local model in the cache, as fast as its answers allow, and keeps how that was checked.

As for the embedded model the folder's name holds a key over everything that the result depends on, files are renamed
into place and the manifest, which states their hashes, comes last. What was measured stands in a file of its own.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.atomic_files import write_atomically
from groundwire.models.build_cache import BUILDER_VERSION, CACHE_VARIABLE, MANIFEST, cache_folder
from groundwire.models.checkpoint import read_checkpoint
from groundwire.models.deberta_config import DebertaConfig
from groundwire.models.embedded import INSTALL_HINT, file_sha256
from groundwire.models.model_files import ModelFiles
from groundwire.models.nli_engine import NliEngine
from groundwire.models.precision_search import PrecisionSearch
from groundwire.models.threads import threads_per_process
from groundwire.models.verification import Comparison, compare, verification_pairs
from groundwire.models.verification_record import AS_GIVEN, Verification, rows_of
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from groundwire.models.model_source import ModelSource

GRAPH_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
VERIFICATION_FILE = "verification.json"

LONGEST_INPUT = 512
"""Tokens of a pair where the configuration of an ONNX graph states none: what published DeBERTa models take."""

_KEY_DIGITS = 16
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BuiltModel:
    """A model in the cache, and what was measured when it was built."""

    files: ModelFiles
    verification: Verification


def find_built(source: ModelSource) -> BuiltModel | None:
    """Give a source's model if it is in the cache, intact.

    Raises:
        ModelError: The cache can't be read.
    """
    folder = _folder(source)
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        names = (GRAPH_FILE, TOKENIZER_FILE, VERIFICATION_FILE)
        damaged = [name for name in names if file_sha256(folder / name) != manifest[name]]
        if not damaged:
            return _built(source, folder, manifest[GRAPH_FILE])
    except FileNotFoundError as error:
        if not folder.exists() or Path(error.filename).name == MANIFEST:
            return None
        damaged = [f"{Path(error.filename).name} is missing"]
    except OSError as error:
        raise ModelError(_unusable_cache(folder, error)) from error
    except (ValueError, KeyError, TypeError) as error:
        damaged = [f"{type(error).__name__}: {error}"]
    _log.warning("cached model in %s is damaged (%s): it has to be built again", folder, ", ".join(damaged))
    return None


def build_model(source: ModelSource) -> BuiltModel:
    """Give a source's model, built now if the cache has none that is intact.

    Raises:
        ModelError: The model can't be built, a package is missing, or the cache can't be written.
    """
    return find_built(source) or _build(source)


def compare_here(built: BuiltModel) -> tuple[Comparison, float]:
    """Run a built model on this machine: its agreement with the reference, and its share of right labels.

    Processors differ in their integer arithmetic, and a model may have been built on another one.
    """
    pairs = verification_pairs()
    found = NliEngine.load(built.files, threads_per_process(1)).score(pairs.pairs)
    return compare(found, np.array(built.verification.reference, np.float32)), pairs.accuracy(found)


def _build(source: ModelSource) -> BuiltModel:
    folder = _folder(source)
    _log.info("building model %s in %s: a minute or more, once", source.name, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tokenizer = json.dumps(source.tokenizer, ensure_ascii=False).encode()
        with tempfile.TemporaryDirectory(dir=folder, prefix=".candidates-") as scratch:
            candidates = _Candidates(source, Path(scratch), tokenizer)
            graph, verification = _as_given(source, candidates) if source.graph else _searched(source, candidates)
        record = verification.serialise()
        contents = {GRAPH_FILE: graph, TOKENIZER_FILE: tokenizer, VERIFICATION_FILE: record}
        manifest = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        for name, content in (contents | {MANIFEST: json.dumps(manifest, indent=2).encode()}).items():
            write_atomically(folder / name, content)
    except OSError as error:
        raise ModelError(_unusable_cache(folder, error)) from error
    return _built(source, folder, manifest[GRAPH_FILE])


class _Candidates:
    """Scores graphs that may become the model, each from a file: memory holds one at a time, as they can be large.

    Attributes:
        latest: The file of the one that was scored last.
    """

    def __init__(self, source: ModelSource, scratch: Path, tokenizer: bytes) -> None:
        self._source, self._tokenizer = source, scratch / TOKENIZER_FILE
        self.latest = scratch / GRAPH_FILE
        self._tokenizer.write_bytes(tokenizer)

    def score(self, build: Callable[[], bytes], pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.latest.write_bytes(build())
        files = ModelFiles(
            self.latest, self._tokenizer, self._source.name, file_sha256(self.latest), _max_tokens(self._source)
        )
        return NliEngine.load(files, threads_per_process(1)).score(pairs)


def _as_given(source: ModelSource, candidates: _Candidates) -> tuple[bytes, Verification]:
    try:
        from groundwire.models.onnx_source import ordered_graph  # noqa: PLC0415 - onnx is for building only
    except ImportError as error:
        raise ModelError(f"building a model needs the package onnx: {INSTALL_HINT}") from error
    graph = ordered_graph(source)
    pairs = verification_pairs()
    found = candidates.score(lambda: graph, pairs.pairs)
    return graph, Verification(AS_GIVEN, (), None, None, pairs.accuracy(found), rows_of(found), pairs.sha256)


def _searched(source: ModelSource, candidates: _Candidates) -> tuple[bytes, Verification]:
    config = _config(source)
    weights = read_checkpoint(source)
    try:
        from groundwire.models import deberta_graph, graph_writer  # noqa: PLC0415 - onnx is for building only
    except ImportError as error:
        raise ModelError(f"building a model needs the package onnx: {INSTALL_HINT}") from error

    def build(precision: deberta_graph.Precision, fp32_layers: frozenset[int]) -> bytes:
        try:
            return graph_writer.serialise(deberta_graph.build_graph(weights, config, precision, fp32_layers))
        except ModelError as error:
            raise ModelError(f"model {source.name}: {error}") from error

    def attempt(
        precision: deberta_graph.Precision, fp32_layers: frozenset[int], pairs: Sequence[tuple[str, str]]
    ) -> NDArray[np.float32]:
        return candidates.score(lambda: build(precision, fp32_layers), pairs)

    pairs = verification_pairs()
    found = PrecisionSearch(attempt, config.layers, pairs.pairs, source.name).run()
    verification = Verification(
        "mixed" if found.fp32_layers else found.precision,
        tuple(sorted(found.fp32_layers)),
        found.comparison,
        found.int8,
        pairs.accuracy(found.probabilities),
        rows_of(found.reference),
        pairs.sha256,
    )
    # int8 that passed was tried last; fp32 was tried first
    graph = candidates.latest.read_bytes() if found.precision == "int8" else build("fp32", frozenset())
    return graph, verification


def _config(source: ModelSource) -> DebertaConfig:
    try:
        return DebertaConfig.from_json(source.config)
    except ModelError as error:
        raise ModelError(f"model {source.name}: {error}") from error


def _max_tokens(source: ModelSource) -> int:
    if source.graph is None:
        return _config(source).max_tokens
    stated = source.config.get("max_position_embeddings", LONGEST_INPUT)
    if not isinstance(stated, int) or stated < 1:
        raise ModelError(f"model {source.name}: max_position_embeddings of its config.json is {stated!r}, no length")
    return stated


def _folder(source: ModelSource) -> Path:
    parts = [f"{name} {sha256}" for name, sha256 in sorted(source.hashes.items())]
    parts += [str(BUILDER_VERSION), verification_pairs().sha256]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_KEY_DIGITS]
    return cache_folder() / f"{_NO_NAME.sub('-', source.name)}-{key}"


def _built(source: ModelSource, folder: Path, sha256: str) -> BuiltModel:
    verification = Verification.parse((folder / VERIFICATION_FILE).read_bytes())
    model_id = f"{source.name}-{verification.precision.replace(' ', '-')}"
    files = ModelFiles(folder / GRAPH_FILE, folder / TOKENIZER_FILE, model_id, sha256, _max_tokens(source))
    return BuiltModel(files, verification)


def _unusable_cache(folder: Path, error: OSError) -> str:
    return f"the cache folder {folder} can't be used ({error.strerror}); set {CACHE_VARIABLE} to a folder that can"
