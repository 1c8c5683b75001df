"""Rows of a set of answers, each with its job: query, contexts and answer, without labels."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from groundwire.schemas import DatasetError, MetricName
from groundwire.worker.evaluate.row_file import read_job, read_name, read_rows, writable_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.schemas import Job, ProfileName

CARRIED_FIELDS = ("reference_answer", "cited_chunks", "completion_tokens", "finish_reason")
"""Further fields of a job that a row may have, under the job's own names."""

DERIVED_ID_CHARS = 16
"""64 bits: among a million rows two different questions share an id once in tens of millions of sets."""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One row.

    Attributes:
        line: Its line in the file, from 1.
        id: What tells it from the others, in this file and in later ones: its own id, or a digest of its query, or of
            its context where it has no query. Never of its answer, which is what changes from release to release.
        job: Query, contexts and answer as a job.
    """

    line: int
    id: str
    job: Job


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """A file of answers.

    Attributes:
        path: Where it was read from, as the user named it; bytes that are no text are escaped.
        ids: Those of all its rows.
        rows: Those of them that are evaluated, in order of the file.
        metrics: What is computed for them.
    """

    path: str
    ids: frozenset[str]
    rows: tuple[AnswerRow, ...]
    metrics: tuple[MetricName, ...]

    @property
    def name(self) -> str:
        """The file's name without folder and endings."""
        return Path(self.path).name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")

    def sample(self, count: int, seed: int) -> AnswerSet:
        """Give `count` of the rows, drawn by `seed` and in order of the file; all of them if there are no more.

        A row is drawn for its id alone, so that a later file with the same ids gives the same rows in whichever order,
        and one with another row more gives at most one other.
        """
        if count >= len(self.rows):
            return self
        drawn = set(sorted((row.id for row in self.rows), key=lambda row_id: _lot(row_id, seed))[:count])
        return replace(self, rows=tuple(row for row in self.rows if row.id in drawn))


class _ReadRow(NamedTuple):
    """A row as the file has it."""

    line: int
    id: str | None
    job: Job


def read_answers(path: str, metrics: Sequence[MetricName] | None, profile: ProfileName) -> AnswerSet:
    """Read a file of answers, plain or gzipped, one JSON object a line.

    Args:
        path: The file.
        metrics: What to compute; None: every metric, completeness only where a row has a reference answer.
        profile: The scorer configuration that the jobs name.

    Raises:
        DatasetError: The file can't be read, holds no row, has a row that can't be used, or an id twice. It names file,
            line and field, and quotes no text.
    """
    read = read_rows(path, lambda number, fields: _read_row(number, fields, profile), "query, contexts and answer")
    if metrics is None:
        has_reference = any(row.job.reference_answer is not None for row in read)
        metrics = [name for name in MetricName if has_reference or name is not MetricName.COMPLETENESS]
    rows = tuple(_with_ids(path, read, tuple(metrics)))
    return AnswerSet(writable_path(path), frozenset(row.id for row in rows), rows, tuple(metrics))


def _with_ids(path: str, read: Sequence[_ReadRow], metrics: tuple[MetricName, ...]) -> Iterator[AnswerRow]:
    """Give the rows their ids; each of them once."""
    own = {row.id for row in read if row.id is not None}
    seen: Counter[str] = Counter()
    for row in read:
        base = row.id if row.id is not None else _derived_id(row.job)
        seen[base] += 1
        if seen[base] > 1 and base in own:
            problem = "id: stands in an earlier row too; give each row an id of its own"
            raise DatasetError(f"{path}, line {row.line}: {problem}")
        # a question may be asked twice; their order tells the two apart then
        row_id = base if seen[base] == 1 else f"{base}#{seen[base]}"
        yield AnswerRow(row.line, row_id, row.job.model_copy(update={"metrics": metrics}))


def _read_row(number: int, fields: dict[str, Any], profile: ProfileName) -> _ReadRow:
    job = read_job(number, fields, profile, list(MetricName), CARRIED_FIELDS)
    return _ReadRow(number, read_name(fields, "id"), job)


def _lot(row_id: str, seed: int) -> bytes:
    """What a row draws: the same for an id and a seed whatever other rows there are."""
    return hashlib.sha256(f"{seed} {row_id}".encode()).digest()


def _derived_id(job: Job) -> str:
    context = job.model_dump_json(include={"contexts", "rag_context"})
    return hashlib.sha256((job.query or context).encode()).hexdigest()[:DERIVED_ID_CHARS]
