from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.worker.evaluate.dataset import Dataset
from groundwire.worker.evaluate.report import Evaluated
from groundwire.worker.evaluate.scoring_pool import score_with
from groundwire.worker.evaluate.scoring_run import ScoredRow, scored_rows
from tests.worker.evaluate.written_verdicts import WrittenVerdicts, made_row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def write_rows(tmp_path: Path) -> Callable[..., str]:
    """Write rows, or lines as they are, to a file; returns its path."""

    def write(*rows: dict[str, Any] | bytes, name: str = "rows.jsonl", zipped: bool = False) -> str:
        content = b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows) + b"\n"
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if zipped else content)
        return str(path)

    return write


@pytest.fixture
def score_written() -> Callable[..., tuple[ScoredRow, ...]]:
    """Score rows given as (what people found, what the fake scorer is told to say, source)."""

    def score(*rows: tuple[Any, ...]) -> tuple[ScoredRow, ...]:
        made = [
            made_row(line, supported=supported, answer=answer, source=source[0] if source else None)
            for line, (supported, answer, *source) in enumerate(rows, 1)
        ]
        return tuple(scored_rows(made, score_with([row.job for row in made], WrittenVerdicts)))

    return score


@pytest.fixture
def evaluate_written(score_written: Callable[..., tuple[ScoredRow, ...]]) -> Callable[..., Evaluated]:
    def evaluate(*rows: Any, path: str = "folder/my rows.jsonl.gz") -> Evaluated:
        scored = score_written(*rows)
        return Evaluated.of(Dataset(path, len(rows), tuple(one.row for one in scored)), scored)

    return evaluate
