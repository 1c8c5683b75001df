"""Reading labelled files: what a row may look like, and how each fault is named."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import DatasetError, ProfileName
from groundwire.worker.evaluate.dataset import Dataset, read_dataset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    WriteRows = Callable[..., str]

ROW: dict[str, Any] = {"context": "The museum is closed on Mondays.", "response": "It is closed.", "supported": True}
MARKER = "QUOKKA"


def read(path: str, labels: str = "supported") -> Dataset:
    return read_dataset(path, labels, ProfileName.EVIDENCE)


def row(**fields: Any) -> dict[str, Any]:
    """The usual row with other fields; a field given as Ellipsis is left out."""
    return {name: value for name, value in (ROW | fields).items() if value is not ...}


def test_a_row_is_read_with_all_that_it_says(write_rows: WriteRows) -> None:
    path = write_rows(row(id="r1", source="web", query="When is it closed?", unrelated={"deep": [1]}))
    [read_row] = read(path).rows
    assert (read_row.line, read_row.id, read_row.source, read_row.supported) == (1, "r1", "web", True)
    assert read_row.job.rag_context == ROW["context"]
    assert read_row.job.response_text == ROW["response"]
    assert read_row.job.query == "When is it closed?"
    assert read_row.job.profile is ProfileName.EVIDENCE
    assert read_row.name == "r1"


@pytest.mark.parametrize("name", ["response", "response_text", "answer"])
def test_the_answer_goes_by_several_names(name: str, write_rows: WriteRows) -> None:
    [read_row] = read(write_rows(row(response=...) | {name: "It is open."})).rows
    assert read_row.job.response_text == "It is open."


@pytest.mark.parametrize("name", ["context", "contexts", "rag_context"])
@pytest.mark.parametrize("value", [["One.", "Two."], [{"text": "One."}, {"page_content": "Two.", "metadata": {}}]])
def test_a_context_may_be_a_list_under_any_of_its_names(name: str, value: list[Any], write_rows: WriteRows) -> None:
    [read_row] = read(write_rows(row(context=...) | {name: value})).rows
    assert [chunk.text for chunk in read_row.job.contexts or ()] == ["One.", "Two."]


def test_contexts_may_be_a_list_inside_a_string(write_rows: WriteRows) -> None:
    [read_row] = read(write_rows(row(context=..., contexts=json.dumps(["One."])))).rows
    assert [chunk.text for chunk in read_row.job.contexts or ()] == ["One."]


def test_a_context_of_more_chunks_than_a_job_may_have_is_read(write_rows: WriteRows) -> None:
    [read_row] = read(write_rows(row(context=["A sentence."] * 5_000))).rows
    assert len(read_row.job.contexts or ()) == 5_000


def test_a_context_that_is_null_is_no_fault(write_rows: WriteRows) -> None:
    [read_row] = read(write_rows(row(context=None))).rows
    assert read_row.job.rag_context is None
    assert read_row.job.contexts is None


def test_rows_without_ids_are_called_by_their_lines(write_rows: WriteRows) -> None:
    dataset = read(write_rows(row(), b"  ", row(id=7), row(id=None, source="")))
    assert [one.name for one in dataset.rows] == ["line 1", "7", "line 4"]
    assert {one.source for one in dataset.rows} == {None}


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.jsonl"])
def test_gzip_is_told_by_its_content(name: str, write_rows: WriteRows) -> None:
    dataset = read(write_rows(row(), row(supported="unsupported"), name=name, zipped=True))
    assert [one.supported for one in dataset.rows] == [True, False]
    assert dataset.name == "rows"


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(write_rows: WriteRows) -> None:
    line = json.dumps(row()).encode()
    assert len(read(write_rows(b"\xef\xbb\xbf" + line + b"\r", line + b"\r")).rows) == 2


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_the_order(write_rows: WriteRows) -> None:
    dataset = read(write_rows(*(row(id=number) for number in range(50))))
    drawn = dataset.sample(10, seed=1)
    assert drawn == dataset.sample(10, seed=1)
    assert drawn.rows != dataset.sample(10, seed=2).rows
    lines = [one.line for one in drawn.rows]
    assert lines == sorted(set(lines))
    assert (len(lines), drawn.total) == (10, 50)
    assert dataset.sample(50, seed=1) == dataset


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b'{"context": "QUOKKA', "is not JSON: "),
        (b'"QUOKKA"', "is a string; a row is an object"),
        (b'{"context": "QUOKKA \xff"}', "byte 20 is not UTF-8"),
        (b"[" * 200_000, "is not JSON that can be read"),
        (row(supported=...), "supported: is missing"),
        (row(supported=MARKER * 10), "supported: is a string of 60 characters"),
        (row(supported=None), "supported: is null"),
        (row(response=...), "response: is missing; it may be called response_text or answer too"),
        (row(context=...), "context: is missing; it may be called contexts or rag_context too"),
        (row(answer=MARKER), "answer: stands beside response"),
        (row(contexts=[MARKER]), "contexts: stands beside context"),
        (row(question=MARKER, query=MARKER), "question: stands beside query"),
        (row(response=[MARKER]), "response: input should be a valid string"),
        (row(response=f"{MARKER}\0"), "response: contains a NUL character"),
        (row(context=["One.", {"text": 7, "title": MARKER}]), "context[1].text: input should be a valid string"),
        (row(context={"text": MARKER}), "context: input should be a valid string"),
        (row(context=..., contexts=MARKER), "contexts: is a string of 6 characters that holds no JSON list"),
        (row(question=7), "question: input should be a valid string"),
        (row(id=MARKER * 100), "id: has 600 characters"),
        (row(source=[MARKER]), "source: is a list; it takes a string"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_by_line_and_field_and_not_quoted(
    bad: Any, said: str, write_rows: WriteRows
) -> None:
    path = write_rows(row(), bad)
    with pytest.raises(DatasetError) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path}, line 2: {said}")
    assert MARKER not in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, write_rows: WriteRows) -> None:
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(gzip.compress(json.dumps(row()).encode() * 100)[:-12])
    for path, said in (
        (str(tmp_path / "missing.jsonl"), "No such file or directory"),
        (str(tmp_path), "Is a directory"),
        (str(damaged), "is a damaged gzip file"),
        (write_rows(b""), "holds no rows"),
    ):
        with pytest.raises(DatasetError) as refused:
            read(path)
        assert str(refused.value).startswith(f"{path}: {said}")
