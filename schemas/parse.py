"""From bytes to a job, or to an error that names the field at fault."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from pydantic import ValidationError

from groundwire.schemas.errors import DeadReason, InvalidJobError, JobIds
from groundwire.schemas.job import (
    CHUNK_FIELDS,
    DERIVED_ID_CHARS,
    JOB_FIELDS,
    Job,
    json_name,
    read_contexts,
    shown_name,
)
from groundwire.schemas.limits import MAX_ID_CHARS, MAX_NESTING, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN_DIGITS = 20
"""Digits of a wrong version that an error shows."""

NEAR_MISS_EDITS = 2
"""An unknown name this close to a known one is taken for a typing error, not for a newer producer's field."""

MAX_UNKNOWN_FIELDS = 32
"""A newer producer has a few fields that this release does not know; one with more sends something else than jobs."""

NAMED_UNKNOWN_FIELDS = 10
"""Unknown fields that the warnings name; the rest is counted."""

# possessive, and content with an unknown end: a string that nobody closes must not be tried from each of its characters
_STRING = re.compile(rb'"(?:[^"\\]+|\\.)*+"?', re.DOTALL)
PROBLEMS = {
    "model_type": "should be an object or a string",
    "tuple_type": "should be a list",
    "dict_type": "should be an object",
    "missing": "is missing",
}
"""Faults whose description by pydantic speaks of Python's types."""

_BRACKET = re.compile(rb"[\[{\]}]")


@dataclass(frozen=True, slots=True)
class ParsedJob:
    """A job that was accepted, and what its sender should know about it.

    Attributes:
        job: The job.
        warnings: Sentences for the result, such as the names of unknown fields.
    """

    job: Job
    warnings: tuple[str, ...] = ()


def parse_job(payload: bytes, limits: Limits, *, unknown_fields: Literal["refuse", "warn"] = "refuse") -> ParsedJob:
    """Read a job from its JSON.

    Args:
        payload: UTF-8 JSON of one job.
        limits: How large it may be; the size in bytes is checked before anything is parsed.
        unknown_fields: `refuse` names an unknown field in an error. `warn` accepts it from a newer producer and names
            it in the warnings, except where it is within two edits of a known name.

    Raises:
        InvalidJobError: with the reason, the field, and the job's ids where they could be read.
    """
    fields = _read_object(payload, limits)
    try:
        _check_version(fields)
        _check_sizes(fields, limits)
        warnings = _check_names(fields, unknown_fields)
        job = Job.model_validate(fields)
    except InvalidJobError as error:
        error.ids = _readable_ids(fields, payload)
        raise
    except ValidationError as error:
        path, problem = _first_problem(error, fields)
        ids = _readable_ids(fields, payload)
        raise InvalidJobError(DeadReason.INVALID_FIELD, path, problem, ids) from None
    return ParsedJob(job, warnings)


def _check_version(fields: Mapping[str, Any]) -> None:
    version = fields.get("v", 1)
    if type(version) is not int or version != 1:
        shown = str(version)[:SHOWN_DIGITS] if type(version) is int else json_name(version)
        problem = f"{shown} is not a version that this release reads; it reads 1"
        raise InvalidJobError(DeadReason.UNSUPPORTED_VERSION, "v", problem)


def _check_sizes(fields: dict[str, Any], limits: Limits) -> None:
    """Refuse what is too large; a JSON list inside the string `contexts` takes the string's place."""
    response = fields.get("response_text")
    if isinstance(response, str) and len(response) > limits.max_response_chars:
        problem = f"{len(response):,} characters exceed the limit of {limits.max_response_chars:,}; shorten the answer"
        raise InvalidJobError(DeadReason.TOO_LARGE, "response_text", problem)
    contexts = fields.get("contexts")
    if isinstance(contexts, str):
        if _nesting(contexts.encode(errors="replace")) > MAX_NESTING:
            problem = f"is nested deeper than {MAX_NESTING} levels; chunks need three"
            raise InvalidJobError(DeadReason.TOO_DEEP, "contexts", problem)
        try:
            contexts = fields["contexts"] = read_contexts(contexts)
        except ValueError as error:
            raise InvalidJobError(DeadReason.INVALID_FIELD, "contexts", str(error)) from None
    if isinstance(contexts, list) and len(contexts) > limits.max_chunks:
        problem = f"{len(contexts):,} chunks exceed the limit of {limits.max_chunks:,}; send the best ones"
        raise InvalidJobError(DeadReason.TOO_LARGE, "contexts", problem)


def _check_names(fields: Mapping[str, Any], unknown_fields: Literal["refuse", "warn"]) -> tuple[str, ...]:
    """Refuse unknown fields, or give the warnings that name them."""
    unknown = _unknown_fields(fields)
    if len(unknown) > MAX_UNKNOWN_FIELDS:
        problem = f"one of {len(unknown):,} unknown fields, more than {MAX_UNKNOWN_FIELDS}; send jobs of version 1"
        raise InvalidJobError(DeadReason.UNKNOWN_FIELD, unknown[0][0], problem)
    for path, name, known in unknown:
        near = [other for other in known if _edits(name, other) <= NEAR_MISS_EDITS]
        if unknown_fields == "refuse" or near:
            advice = f"did you mean {min(near, key=lambda other: _edits(name, other))}?" if near else "remove it"
            raise InvalidJobError(DeadReason.UNKNOWN_FIELD, path, f"unknown field; {advice}")
    warnings = [f"unknown field {path} was ignored" for path, _, _ in unknown[:NAMED_UNKNOWN_FIELDS]]
    if len(unknown) > NAMED_UNKNOWN_FIELDS:
        warnings.append(f"{len(unknown) - NAMED_UNKNOWN_FIELDS} more unknown fields were ignored")
    return tuple(warnings)


def _read_object(payload: bytes, limits: Limits) -> dict[str, Any]:
    """Parse the payload as far as a JSON object."""
    if len(payload) > limits.max_job_bytes:
        problem = f"{len(payload):,} bytes exceed the limit of {limits.max_job_bytes:,}; send fewer or shorter chunks"
        raise InvalidJobError(DeadReason.TOO_LARGE, "payload", problem)
    try:
        text = payload.decode()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start} is not UTF-8; encode the job as UTF-8"
        raise InvalidJobError(DeadReason.NOT_UTF8, "payload", problem) from None
    if _nesting(payload) > MAX_NESTING:
        problem = f"is nested deeper than {MAX_NESTING} levels; a job needs four"
        raise InvalidJobError(DeadReason.TOO_DEEP, "payload", problem)
    try:
        fields = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error.msg} at character {error.pos}"
        raise InvalidJobError(DeadReason.NOT_JSON, "payload", problem) from None
    except ValueError:
        problem = "is not JSON: it holds NaN, Infinity or a number of over 4,000 digits"
        raise InvalidJobError(DeadReason.NOT_JSON, "payload", problem) from None
    if not isinstance(fields, dict):
        problem = f"is {json_name(fields)}; a job is an object"
        raise InvalidJobError(DeadReason.NOT_JSON, "payload", problem)
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _nesting(payload: bytes) -> int:
    """Depth of brackets outside strings, found without recursion."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", payload)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _readable_ids(fields: Mapping[str, Any], payload: bytes) -> JobIds | None:
    """The ids of a job that may be invalid elsewhere; without an id of its own it gets one from its bytes."""
    job_id = fields.get("job_id") or hashlib.sha256(payload).hexdigest()[:DERIVED_ID_CHARS]
    ids = [i for i in (job_id, fields.get("trace_id"), fields.get("span_id")) if isinstance(i, str)]
    readable = len(ids) == len(JobIds._fields) and all(1 <= len(i) <= MAX_ID_CHARS and i.isprintable() for i in ids)
    return JobIds(*ids) if readable else None


def _unknown_fields(fields: Mapping[str, Any]) -> list[tuple[str, str, frozenset[str]]]:
    """Path, name and the known names beside it, for each field that version 1 does not have."""
    found = [(shown_name(name), name, JOB_FIELDS) for name in fields if name not in JOB_FIELDS]
    contexts = fields.get("contexts")
    for index, chunk in enumerate(contexts if isinstance(contexts, list) else ()):
        if isinstance(chunk, dict):
            names = [name for name in chunk if name not in CHUNK_FIELDS]
            found += [(f"contexts[{index}].{shown_name(name)}", name, CHUNK_FIELDS) for name in names]
    return found


def _edits(left: str, right: str) -> int:
    """Levenshtein distance, cut off one above `NEAR_MISS_EDITS`."""
    if abs(len(left) - len(right)) > NEAR_MISS_EDITS:
        return NEAR_MISS_EDITS + 1
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def _first_problem(error: ValidationError, fields: Mapping[str, Any]) -> tuple[str, str]:
    """Path and description of the first fault; the value is shown only where it is a plain word, never a text."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    path = ""
    value: Any = fields
    for step in (step for step in first["loc"] if step != "[key]"):
        path += f"[{step}]" if isinstance(step, int) else f".{shown_name(str(step))}" if path else shown_name(str(step))
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = {}
    problem = PROBLEMS.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    problem = problem[0].lower() + problem[1:]
    if not path:
        path, _, problem = problem.partition(" ")
    if first["type"] in ("enum", "literal_error") and isinstance(value, str) and shown_name(value) == value:
        problem += f", not {value!r}"
    return path, problem
