"""Scores for a warehouse: a line for each row and metric, as JSONL or Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.schemas import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.worker.gate.report import GateReport

JSONL, PARQUET = ".jsonl", ".parquet"


class Sink:
    """A file that the scores go to; its ending says in which form.

    Args:
        path: The file; an earlier one is overwritten.

    Raises:
        SettingsError: Its ending is another, it is a folder or has none, or Parquet is wanted and pyarrow is not
            installed.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        if self._path.suffix not in (JSONL, PARQUET):
            raise SettingsError(f"--sink {path}: ends with neither {JSONL} nor {PARQUET}; name a file that does")
        if self._path.is_dir():
            raise SettingsError(f"--sink {path}: is a folder; name a file in it")
        if not self._path.parent.is_dir():
            raise SettingsError(f"--sink {path}: its folder is not there; make it first")
        self._arrow = _arrow() if self._path.suffix == PARQUET else None

    def write(self, report: GateReport) -> None:
        """Write a report's scores: no text of any row, but its id.

        Raises:
            SettingsError: The file can't be written.
        """
        try:
            self._write(list(_records(report)))
        except OSError as error:
            problem = f"{error.strerror or error}; make room, or name another file"
            raise SettingsError(f"--sink {self._path}: {problem}") from error

    def _write(self, records: list[dict[str, Any]]) -> None:
        if self._arrow is None:
            lines = (json.dumps(record, ensure_ascii=False) for record in records)
            self._path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            return
        arrow, parquet = self._arrow
        kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64()}
        schema = arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
        parquet.write_table(arrow.Table.from_pylist(records, schema), self._path)


COLUMNS: dict[str, type] = {
    "evaluated_at": str,
    "dataset": str,
    "row_id": str,
    "line": int,
    "metric": str,
    "score": float,
    "status": str,
    "skip_reason": str,
    "problem": str,
    "verdict": str,
    "groundwire_version": str,
    "profile": str,
    "config_hash": str,
    "model_id": str,
    "model_sha256": str,
}
"""Columns and their types; all but the first five, the status and the verdict may be null."""


def _records(report: GateReport) -> Iterator[dict[str, Any]]:
    scorer = report.scorer
    origin = {
        "groundwire_version": scorer and scorer.version,
        "profile": scorer and scorer.profile,
        "config_hash": scorer and scorer.config_hash,
        "model_id": scorer and scorer.model_id,
        "model_sha256": scorer and scorer.model_sha256,
    }
    whole = {"evaluated_at": report.evaluated_at, "dataset": report.dataset, "verdict": report.verdict.value}
    for row in report.rows:
        for name, metric in row.metrics.items():
            found = (
                whole | {"row_id": row.id, "line": row.line, "metric": name} | metric.model_dump(mode="json") | origin
            )
            yield {column: found[column] for column in COLUMNS}


def _arrow() -> tuple[Any, Any]:
    """Load pyarrow, 55 MB that only Parquet needs, and its part for Parquet."""
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "pyarrow":
            raise
        advice = f"install it with: pip install 'groundwire[warehouse]', or name a file that ends with {JSONL}"
        raise SettingsError(f"--sink: Parquet needs the package pyarrow, which is not installed; {advice}") from error
    return pa, parquet
