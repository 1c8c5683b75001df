"""Rows of answers: their jobs, their ids, and samples of them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.schemas import DatasetError, MetricName, ProfileName
from groundwire.worker.gate.rows import AnswerRow, AnswerSet, read_answers
from tests.worker.gate.made_scores import made_row

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Read = Callable[..., AnswerSet]

MARKER = "QUOKKA"


def row(**fields: Any) -> dict[str, Any]:
    return {"query": "Why?", "contexts": ["One.", "Two."], "answer": "So."} | fields


def test_a_row_is_a_job_with_all_its_fields(read: Read) -> None:
    [one] = read([row(id=7, reference_answer="Thus.", finish_reason="stop", source="x")]).rows
    assert (one.id, one.line) == ("7", 1)
    assert (one.job.query, one.job.response_text, one.job.reference_answer) == ("Why?", "So.", "Thus.")
    assert [chunk.text for chunk in one.job.contexts or ()] == ["One.", "Two."]
    assert one.job.finish_reason == "stop"


@pytest.mark.parametrize(("answer", "context", "query"), [("response", "context", "question"), ("response_text",) * 3])
def test_the_names_of_other_tools_are_understood(read: Read, answer: str, context: str, query: str) -> None:
    if answer == query:
        context, query = "rag_context", "query"
    [one] = read([{answer: "So.", context: "One.", query: "Why?"}]).rows
    assert (one.job.response_text, one.job.rag_context, one.job.query) == ("So.", "One.", "Why?")


def test_completeness_is_computed_only_where_there_is_a_reference(read: Read) -> None:
    assert set(MetricName) - set(read([row()]).metrics) == {MetricName.COMPLETENESS}
    with_reference = read([row(), row(query="How?", reference_answer="Thus.")])
    assert set(with_reference.metrics) == set(MetricName)
    chosen = read([row()], metrics=[MetricName.FAITHFULNESS])
    assert chosen.metrics == chosen.rows[0].job.metrics == (MetricName.FAITHFULNESS,)


def test_without_ids_the_question_tells_rows_apart_whatever_the_answer_is(read: Read) -> None:
    before = read([row(), row(query="How?"), row(answer="Or so."), row(query=None), row(query=None, contexts=["3."])])
    after = read([row(query="How?", answer="Else."), row(contexts=["New."], answer="Else."), row(query=None)])
    ids = [one.id for one in before.rows]
    assert len(set(ids)) == 5
    assert ids[2] == f"{ids[0]}#2"
    assert [one.id for one in after.rows] == [ids[1], ids[0], ids[3]]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([row(id="a"), row(id="b"), row(id="a")], "line 3: id: stands in an earlier row too;"),
        ([row(answer=3)], "line 1: answer: "),
        ([row(id="a\ud800")], "line 1: id: contains a lone surrogate"),
        ([{"answer": MARKER}], "line 1: context: is missing;"),
        ([row(reference_answer=[MARKER])], "line 1: reference_answer: "),
        ([MARKER], "line 1: is not JSON"),
        ([], "holds no rows; it takes a JSON object a line, with query, contexts and answer"),
    ],
)
def test_what_cannot_be_used_is_named_and_not_quoted(read: Read, rows: list[Any], problem: str) -> None:
    with pytest.raises(DatasetError) as raised:
        read(rows)
    assert problem in str(raised.value)
    assert MARKER not in str(raised.value)


def test_a_file_whose_name_is_no_text_can_be_named_in_a_report(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"a\xff.jsonl")
    path.write_text(json.dumps(row()))
    answers = read_answers(str(path), None, ProfileName.EVIDENCE)
    assert answers.name == "a\\udcff"
    assert answers.path == f"{tmp_path}/a\\udcff.jsonl"


def made_answers(rows: tuple[AnswerRow, ...]) -> AnswerSet:
    return AnswerSet("a.jsonl", frozenset(one.id for one in rows), rows, (MetricName.FAITHFULNESS,))


@given(st.lists(st.integers(0, 10**6), unique=True, min_size=1, max_size=40), st.data())
def test_a_sample_goes_by_the_ids_and_not_by_their_order(numbers: list[int], data: st.DataObject) -> None:
    rows = tuple(made_row(line, f"id-{number}") for line, number in enumerate(numbers))
    count, seed = data.draw(st.integers(1, len(rows) + 1)), data.draw(st.integers(0, 9))
    whole, turned, fewer = (made_answers(some) for some in (rows, rows[::-1], rows[1:]))
    drawn = whole.sample(count, seed)
    assert len(drawn.rows) == min(count, len(rows))
    assert [one.id for one in drawn.rows] == [one.id for one in rows if one in drawn.rows]
    assert list(drawn.rows) == list(reversed(turned.sample(count, seed).rows))
    assert len({one.id for one in fewer.sample(count, seed).rows} - {one.id for one in drawn.rows}) <= 1
