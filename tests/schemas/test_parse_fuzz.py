"""Whatever bytes come as a job: it is read, or refused with a field, soon, and without showing its texts.

`make fuzz` tries 1,000,000 payloads, the test suite a few thousand.
"""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

from groundwire.schemas import InvalidJobError, Limits, parse_job
from tests.schemas.fuzzed_jobs import MARKER, payload

if TYPE_CHECKING:
    from types import FrameType

PAYLOADS = int(os.environ.get("GROUNDWIRE_FUZZ_JOBS", "5000"))

CHUNK = 2_500
"""Payloads of one task of a process."""

LONGEST_S = 10
"""A payload that takes longer hangs: they take some ten microseconds each."""

LIMITS = Limits(max_job_bytes=16 * 1024, max_chunks=4, max_response_chars=300)
"""Small ones, so that payloads exceed them too."""


class HangError(Exception):
    pass


def hang(_signal: int, _frame: FrameType | None) -> None:
    raise HangError


def problem_with(number: int) -> str | None:
    """What is wrong with how the payload of this number is read."""
    data = payload(number)
    for unknown_fields in ("refuse", "warn"):
        try:
            parsed = parse_job(data, LIMITS, unknown_fields=unknown_fields)
        except InvalidJobError as error:
            text = str(error)
            if not error.field or not text.startswith(f"{error.field}: ") or "\n" in text or len(text) > 400:
                return f"a refusal without a field, or not one short line: {text[:400]!r}"
            if MARKER in text:
                return f"the refusal shows a text: {text!r}"
            continue
        again = parse_job(parsed.job.to_payload(), Limits()).job
        if again != parsed.job or again.content_hash != parsed.job.content_hash or again.id != parsed.job.id:
            return "what was read is another job when it is written and read again"
        if any(MARKER in warning or "\n" in warning for warning in parsed.warnings):
            return f"a warning shows a text: {parsed.warnings}"
    return None


def problems_in(numbers: range) -> tuple[list[str], int]:
    """Problems with the payloads of these numbers, and how many of them were read as jobs."""
    signal.signal(signal.SIGALRM, hang)
    problems, read = [], 0
    for number in numbers:
        signal.alarm(LONGEST_S)
        try:
            problem = problem_with(number)
            if problem is None:
                read += is_read(number)
        except Exception as error:  # noqa: BLE001 - whatever it is, the payload and its number are what counts
            problem = f"{type(error).__name__}: {str(error)[:200]}"
        if problem is not None:
            problems.append(f"payload({number}): {problem}")
    signal.alarm(0)
    return problems, read


def is_read(number: int) -> bool:
    try:
        parse_job(payload(number), LIMITS)
    except InvalidJobError:
        return False
    return True


def test_every_payload_is_read_or_refused_with_a_field() -> None:
    chunks = [range(start, min(start + CHUNK, PAYLOADS)) for start in range(0, PAYLOADS, CHUNK)]
    # spawned: a process that was forked from a test session carries along whatever threads the session had
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        outcomes = list(pool.map(problems_in, chunks))
    assert [problem for problems, _ in outcomes for problem in problems][:10] == []
    # neither all good nor all bad, or else the payloads would try little
    assert PAYLOADS * 0.05 < sum(read for _, read in outcomes) < PAYLOADS * 0.9
