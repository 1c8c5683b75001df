"""Rows of a JSONL file, plain or gzipped: each line an object with an answer and its context, as a job.

A row that can't be used ends the reading: figures of a part of a set would pass for figures of the whole.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from groundwire.schemas import DatasetError, InvalidJobError, Limits, parse_job
from groundwire.schemas.job import json_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundwire.schemas import Job, ProfileName

Row = TypeVar("Row")

ANSWER_FIELDS = ("response", "response_text", "answer")
CONTEXT_FIELDS = ("context", "contexts", "rag_context")
QUERY_FIELDS = ("query", "question")
"""Names under which a row may have its answer, its context and its question; one of each at most."""

ROW_LIMITS = Limits(max_job_bytes=64 * 1024 * 1024, max_chunks=100_000, max_response_chars=1_000_000)
"""What a row may be: far more than a job, as a set of one's own is no stranger's and may have a chunk per sentence."""

GZIP_MAGIC = b"\x1f\x8b"

_SURROGATE = re.compile("[\ud800-\udfff]")

MAX_SHOWN_ID = 128
"""Characters of a row's id or source: what is longer is a text in the wrong place."""


def read_rows(path: str, read_row: Callable[[int, dict[str, Any]], Row], wanted: str) -> list[Row]:
    """Read a file, one JSON object a line. Blank lines are passed over.

    Args:
        path: The file; gzip is told by its first bytes, whatever its name is.
        read_row: Makes a row of a line's number, from 1, and its object.
        wanted: What an object has, for the error of an empty file.

    Raises:
        DatasetError: The file can't be read, holds no row, or has a row that can't be used. It names file, line and
            field, and quotes no text.
    """
    rows: list[Row] = []
    try:
        for number, line in _lines(Path(path)):
            try:
                rows.append(read_row(number, _read_object(line)))
            except DatasetError as error:
                raise DatasetError(f"{path}, line {number}: {error}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DatasetError(f"{path}: is a damaged gzip file") from None
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror}; name a JSONL file, plain or gzipped") from None
    if not rows:
        raise DatasetError(f"{path}: holds no rows; it takes a JSON object a line, with {wanted}")
    return rows


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Give each line that is not blank, with its number from 1."""
    with path.open("rb") as raw:
        zipped = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        raw.seek(0)
        for number, line in enumerate(gzip.GzipFile(fileobj=raw) if zipped else raw, 1):
            content = line.removeprefix(BOM_UTF8) if number == 1 else line
            if content.strip():
                yield number, content


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except UnicodeDecodeError as error:
        raise DatasetError(f"byte {error.start} is not UTF-8; encode the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise DatasetError(f"is not JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError):
        raise DatasetError("is not JSON that can be read: a number or the nesting is too large") from None
    if not isinstance(fields, dict):
        raise DatasetError(f"is {json_name(fields)}; a row is an object")
    return fields


def writable_path(path: str) -> str:
    """Give a path as a report may hold it: on some systems a name can have bytes that are no text."""
    return path.encode(errors="backslashreplace").decode()


def read_name(fields: dict[str, Any], field: str) -> str | None:
    """Read an id or a source: a short string or a whole number."""
    value = fields.get(field)
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise DatasetError(f"{field}: is {json_name(value)}; it takes a string")
    text = str(value)
    if _SURROGATE.search(text):
        raise DatasetError(f"{field}: contains a lone surrogate, which no file can hold; remove it")
    if len(text) > MAX_SHOWN_ID:
        raise DatasetError(f"{field}: has {len(text):,} characters; it takes {MAX_SHOWN_ID} at most")
    return text


def read_job(
    number: int,
    fields: dict[str, Any],
    profile: ProfileName,
    metrics: Sequence[str],
    carried: Sequence[str] = (),
) -> Job:
    """Make a job of a row.

    Args:
        number: The row's line, which is in the job's trace id.
        fields: The row.
        profile: The scorer configuration that the job names.
        metrics: The metrics that it asks for.
        carried: Further fields of a job that are taken over where the row has them.

    Raises:
        DatasetError: Answer or context is missing, or a field can't be used.
    """
    answer = _only_one(fields, ANSWER_FIELDS)
    context = _only_one(fields, CONTEXT_FIELDS)
    if answer is None or context is None:
        names = ANSWER_FIELDS if answer is None else CONTEXT_FIELDS
        raise DatasetError(f"{names[0]}: is missing; it may be called {' or '.join(names[1:])} too")
    # a string under `contexts` may be a list that an exporter wrote as a string, which is the job's to read
    as_list = isinstance(fields[context], list) or context == "contexts"
    named = {"response_text": answer, "contexts" if as_list else "rag_context": context}
    query = _only_one(fields, QUERY_FIELDS)
    if query is not None:
        named["query"] = query
    named |= {field: field for field in carried if field in fields}
    payload = {
        "trace_id": f"line-{number}",
        "span_id": "evaluate",
        "profile": profile.value,
        "metrics": list(metrics),
    } | {field: fields[name] for field, name in named.items()}
    try:
        return parse_job(json.dumps(payload).encode(), ROW_LIMITS, unknown_fields="warn").job
    except InvalidJobError as error:
        problem = str(error).removeprefix(error.field)
        for field, name in named.items():
            if error.field == field or error.field.startswith((f"{field}.", f"{field}[")):
                raise DatasetError(f"{name}{error.field.removeprefix(field)}{problem}") from None
        raise DatasetError(f"{error.field}{problem}") from None


def _only_one(fields: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """Give the one of the names that the row has; None where it has none of them."""
    found = [name for name in names if name in fields]
    if len(found) > 1:
        raise DatasetError(f"{found[1]}: stands beside {found[0]}, which means the same; leave one of them")
    return found[0] if found else None
