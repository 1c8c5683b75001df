"""Answers with their contexts, for fitting what relevance means: how they are read, and where known sets come from.

A file has JSON lines, plain or gzip-compressed, with `context` (a text or a list of them), `response`, and where it is
known `supported` (1 or 0). None of it comes with Groundwire.
"""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.models.embedded import file_sha256
from groundwire.models.rule_splitter import RuleSplitter
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SEED = 0
"""Of the order in which rows are drawn, so that a fit can be repeated."""

SOURCES = {
    "attributionbench_dev.jsonl.gz": ("github.com/OSU-NLP-Group/AttributionBench", "Apache-2.0"),
    "begin_dev.jsonl.gz": ("github.com/google/BEGIN-dataset", "CC-BY-4.0"),
    "q2.jsonl.gz": ("github.com/orhonovich/q-squared", "MIT"),
}
"""Where the sets that Groundwire fits with come from, and the SPDX identifiers of their licences."""

_PATTERNS = ("*.jsonl", "*.jsonl.gz")


@dataclass(frozen=True)
class Row:
    """An answer and its context, in sentences; `supported` is true where nothing is known."""

    context: list[str]
    answer: list[str]
    supported: bool


def data_files(places: Sequence[Path]) -> list[Path]:
    """Give the files that are named, and those in the folders that are named.

    Raises:
        ModelError: There are none.
    """
    files = [file for place in places for file in (_folder_files(place) if place.is_dir() else [place])]
    if not files:
        raise ModelError(f"{', '.join(map(str, places))}: no {' or '.join(_PATTERNS)} there")
    return files


def _folder_files(folder: Path) -> list[Path]:
    return sorted(file for pattern in _PATTERNS for file in folder.glob(pattern))


def provenance(path: Path, answers: int) -> dict[str, str | int]:
    """Describe a file for the record: where it comes from, its SHA-256, and how many of its answers were used."""
    source, licence = SOURCES.get(path.name, ("unknown", "unknown"))
    return {"source": source, "licence": licence, "sha256": file_sha256(path), "answers": answers}


def read_rows(path: Path, limit: int) -> list[Row]:
    """Read up to `limit` rows, drawn at random, each a context and a response that have sentences.

    Raises:
        ModelError: The file can't be read, a row lacks a field, or there are fewer than two kinds of context.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            rows = [_row(json.loads(line)) for line in lines if line.strip()]
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"{path}: can't be read as rows of context and response ({type(error).__name__}: {error})"
        ) from error
    random.Random(SEED).shuffle(rows)  # noqa: S311 - nothing secret
    kept = [row for row in rows if row.context and row.answer][:limit]
    if len({tuple(row.context) for row in kept}) < 2:  # noqa: PLR2004 - one's own and a foreign one
        raise ModelError(f"{path}: has no two rows of different context; foreign relevance needs them")
    return kept


def _row(fields: dict[str, Any]) -> Row:
    context = fields["context"]
    texts = [context] if isinstance(context, str) else context
    sentences = [sentence for text in texts for sentence in _sentences(text)]
    return Row(sentences, _sentences(fields["response"]), bool(fields.get("supported", True)))


def _sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in RuleSplitter().split(text)]
