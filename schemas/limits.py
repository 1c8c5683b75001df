"""How large a job may be."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of a job, checked before any work is spent on it.

    Attributes:
        max_job_bytes: Size of the JSON in bytes, checked before it is parsed.
        max_chunks: Number of chunks in `contexts`.
        max_response_chars: Length of `response_text` in Unicode code points.
    """

    max_job_bytes: int = MIB
    max_chunks: int = 200
    max_response_chars: int = 100_000


MAX_NESTING = 32
"""Depth of brackets at which a payload is refused: a job needs four, and a parser must not recurse deeply."""

MAX_ID_CHARS = 128
"""Length of job, trace and span ids: room for any tracing system's, small enough for a Redis key."""
