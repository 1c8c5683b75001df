from __future__ import annotations

import json
import tracemalloc
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.schemas import Limits, ParsedJob, parse_job
from groundwire.worker.cli.job_lines import JobLines

MIB = 1024 * 1024
JOB = b'{"trace_id":"t1","span_id":"s1","response_text":"An answer."}'


def numbers(content: bytes, limits: Limits | None = None) -> list[int]:
    return [number for number, _ in JobLines(BytesIO(content), limits or Limits())]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n \n\t\r\n", []),
        (JOB, [1]),
        (JOB + b"\n", [1]),
        (JOB + b"\r\n" + JOB + b"\r\n", [1, 2]),
        (b"\xef\xbb\xbf" + JOB + b"\n" + JOB, [1, 2]),
        (b"\xef\xbb\xbf\n" + JOB, [2]),
        (b"\n\n" + JOB + b"\n\n" + JOB, [3, 5]),
    ],
    ids=["empty", "blank", "no line end", "line end", "CRLF", "BOM", "BOM alone", "blank lines count"],
)
def test_lines_are_taken_as_they_come(content: bytes, expected: list[int]) -> None:
    assert numbers(content) == expected


def test_line_separators_of_unicode_end_no_line() -> None:
    job = json.dumps({"trace_id": "t", "span_id": "s", "response_text": "one\u2028two\x85three"}, ensure_ascii=False)
    assert numbers(job.encode() + b"\n" + JOB) == [1, 2]


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_a_line_may_be_as_long_as_the_limit_and_not_a_byte_longer(
    ending: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert numbers(JOB + ending, Limits(max_job_bytes=len(JOB))) == [1]
    assert numbers(JOB + ending + b"\n" + JOB[:0], Limits(max_job_bytes=len(JOB) - 1)) == []
    assert f"line 1: payload: {len(JOB)} bytes exceed the limit of {len(JOB) - 1}" in capsys.readouterr().err


def test_a_line_of_many_mebibytes_costs_little_memory_and_the_next_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    content = BytesIO(b'{"response_text":"' + b"a" * (64 * MIB) + b'"}\r\n' + JOB)
    tracemalloc.start()
    lines = JobLines(content, Limits())
    assert [number for number, _ in lines] == [2]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MIB
    assert lines.refused == 1
    assert capsys.readouterr().err == (
        "line 1: payload: 67,108,884 bytes exceed the limit of 1,048,576; send fewer or shorter chunks\n"
    )


@given(st.lists(st.one_of(st.just(JOB), st.binary(max_size=60).filter(lambda line: b"\n" not in line)), max_size=12))
def test_whatever_stands_between_them_every_good_line_is_read_under_its_number(lines: list[bytes]) -> None:
    good = {number for number, line in enumerate(lines, 1) if line == JOB}
    assert good <= set(numbers(b"\n".join(lines)))


def test_refused_lines_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    lines = JobLines(BytesIO(b"{\n" + JOB + b"\n[]\n"), Limits())
    assert [number for number, _ in lines] == [2]
    assert lines.refused == 2
    errors = capsys.readouterr().err.splitlines()
    assert [error.split(": ")[0:2] for error in errors] == [["line 1", "payload"], ["line 3", "payload"]]


def test_a_line_that_breaks_the_parser_is_named_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def parse(payload: bytes, limits: Limits) -> ParsedJob:
        if payload == b"hostile":
            raise OverflowError("a text that stays private")
        return parse_job(payload, limits)

    # No line is known that gets past the parser's own checks: the net is for those that are not known.
    monkeypatch.setattr("groundwire.worker.cli.job_lines.parse_job", parse)
    lines = JobLines(BytesIO(JOB + b"\nhostile\n" + JOB), Limits())
    assert [number for number, _ in lines] == [1, 3]
    assert lines.refused == 1
    shown = capsys.readouterr().err
    assert shown.startswith("line 2: payload: OverflowError while the job was read")
    assert "private" not in shown
