"""Labelled rows from a JSONL file, each with the job that it stands for."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.schemas import DatasetError, MetricName
from groundwire.worker.evaluate.labels import read_label
from groundwire.worker.evaluate.row_file import read_job, read_name, read_rows, writable_path

if TYPE_CHECKING:
    from groundwire.schemas import Job, ProfileName


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """One row of a labelled set.

    Attributes:
        line: Its line in the file, from 1.
        id: Its own id; None where it has none.
        source: Which part of the set it belongs to; None where it doesn't say.
        supported: Whether people found that the context supports the answer.
        job: Answer and context as a job, for the metric faithfulness.
    """

    line: int
    id: str | None
    source: str | None
    supported: bool
    job: Job

    @property
    def name(self) -> str:
        """What to call the row: its id, or else its line."""
        return self.id if self.id is not None else f"line {self.line}"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A labelled file.

    Attributes:
        path: Where it was read from, as the user named it; bytes that are no text are escaped.
        total: How many rows it has.
        rows: Those of them that are evaluated, in order of the file.
    """

    path: str
    total: int
    rows: tuple[LabelledRow, ...]

    @property
    def name(self) -> str:
        """The file's name without folder and endings."""
        return Path(self.path).name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")

    def sample(self, count: int, seed: int) -> Dataset:
        """Give `count` of the rows, drawn by `seed` and in order of the file; all of them if there are no more."""
        if count >= len(self.rows):
            return self
        # the same rows in each run is what is wanted here
        drawn = random.Random(seed).sample(range(len(self.rows)), count)  # noqa: S311
        return replace(self, rows=tuple(self.rows[index] for index in sorted(drawn)))


def read_dataset(path: str, label_field: str, profile: ProfileName) -> Dataset:
    """Read a labelled file, one JSON object a line. Blank lines are passed over.

    Args:
        path: The file; gzip is told by its first bytes, whatever its name is.
        label_field: The field that holds the label, see `groundwire.worker.evaluate.labels`.
        profile: The scorer configuration that the jobs name.

    Raises:
        DatasetError: The file can't be read, holds no row, or has a row that can't be used. It names file, line and
            field, and quotes no text.
    """
    wanted = "context, response and label"
    rows = read_rows(path, lambda number, fields: _read_row(number, fields, label_field, profile), wanted)
    return Dataset(writable_path(path), len(rows), tuple(rows))


def _read_row(number: int, fields: dict[str, Any], label_field: str, profile: ProfileName) -> LabelledRow:
    if label_field not in fields:
        raise DatasetError(f"{label_field}: is missing; --labels names the field that holds the label")
    try:
        supported = read_label(fields[label_field])
    except ValueError as error:
        raise DatasetError(f"{label_field}: {error}") from None
    return LabelledRow(
        line=number,
        id=read_name(fields, "id"),
        source=read_name(fields, "source"),
        supported=supported,
        job=read_job(number, fields, profile, [MetricName.FAITHFULNESS]),
    )
