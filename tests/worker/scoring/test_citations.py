from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.models import RuleSplitter
from groundwire.schemas import Job
from groundwire.worker.scoring.case import Case, Sentence
from groundwire.worker.scoring.citations import Citations, read_citations
from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

FOUR = [{"text": f"Passage {number} is about harbours."} for number in range(4)]


def cite(answer: str, contexts: Any = FOUR, **fields: Any) -> Citations:
    job = Job(trace_id="t1", span_id="s1", response_text=answer, contexts=contexts, **fields)
    sentences = [
        Sentence(span.start, span.end, answer[span.start : span.end], clean(answer[span.start : span.end]), None)
        for span in RuleSplitter().split(answer)
    ]
    return read_citations(job, sentences)


@pytest.mark.parametrize(
    ("mark", "chunks"),
    [
        ("[1]", (0,)),
        ("[ 2 ]", (1,)),
        ("[2, 3]", (1, 2)),
        ("[3; 1]", (2, 0)),
        ("[1][3]", (0, 2)),
        ("[1-3]", (0, 1, 2)),
        ("[2\N{EN DASH}4]", (1, 2, 3)),
        ("[1, 3-4]", (0, 2, 3)),
        ("[^2]", (1,)),
        ("[Source 2]", (1,)),
        ("[source: 4]", (3,)),
        ("[doc 2]", (1,)),
        ("[Document #3]", (2,)),
        ("[02]", (1,)),
        ("【4†source】", (3,)),
        ("【2】", (1,)),
        ("[1](https://example.org/a)", (0,)),
        ("[2, 2] [2]", (1,)),
    ],
)
def test_every_form_of_mark_names_the_nth_chunk(mark: str, chunks: tuple[int, ...]) -> None:
    citations = cite(f"The harbour is old {mark}.")
    assert citations == Citations(chunks, (chunks,), (), listed=False)


@pytest.mark.parametrize(
    ("mark", "unresolved"),
    [
        ("[5]", ("5",)),
        ("[0]", ("0",)),
        ("[2019]", ("2019",)),
        ("[1990-1995]", ("1990-1995",)),
        ("[1-9999]", ("1-9999",)),
        ("[3-1]", ("3-1",)),
        ("【4:0†source】", ("4:0",)),
    ],
)
def test_what_names_no_chunk_is_reported_and_no_citation(mark: str, unresolved: tuple[str, ...]) -> None:
    citations = cite(f"The harbour is old {mark}.")
    assert (citations.chunks, citations.unresolved, citations.exist) == ((), unresolved, False)


def test_a_range_reaches_as_far_as_there_are_chunks() -> None:
    citations = cite("The harbour is old [3-6].")
    assert (citations.chunks, citations.unresolved) == ((2, 3), ("5", "6"))


def test_a_chunk_with_the_number_as_its_id_goes_before_the_nth() -> None:
    contexts = [{"id": "2", "text": "First."}, {"id": "1", "text": "Second."}, {"text": "Third."}]
    assert cite("The harbour [1] is old [2], they say [3].", contexts).chunks == (1, 0, 2)


def test_an_id_that_a_mark_spells_out_is_found() -> None:
    contexts = [{"id": "doc-2", "text": "First."}, {"id": "doc-1", "text": "Second."}]
    assert cite("The harbour is old [doc-2]. It is large [doc-1].", contexts).by_sentence == ((0,), (1,))


def test_chunks_of_one_id_are_all_cited() -> None:
    contexts = [{"id": "a", "text": "First."}, {"id": "b", "text": "Second."}, {"id": "a", "text": "Third."}]
    assert cite("The harbour is old.", contexts, cited_chunks=["a"]).chunks == (0, 2)


@pytest.mark.parametrize(
    ("answer", "by_sentence"),
    [
        ("It is in Paris [1]. It was built in 1889 [2].", ((0,), (1,))),
        ("It is in Paris. [1] It was built in 1889. [2]", ((0,), (1,))),
        ("It is in Paris.[1] It was built in 1889.[2][3]", ((0,), (1, 2))),
        ("It is in Paris. [Source 1] It was built in 1889. 【2†source】", ((0,), (1,))),
        ("It is in Paris.  [1] It was built in 1889.", ((0,), ())),
        ("It is in Paris.  [1] It was built in 1889 [2].", ((0,), (1,))),
        ("[1] It is in Paris, they say.", ((0,),)),
        ("[1] It is in Paris.\n[2] It was built in 1889.", ((0,), (1,))),
        ("It is in Paris.\n[1]\nIt was built in 1889.", ((0,), (), ())),
        ("The tower [2] is in Paris [1].", ((1, 0),)),
    ],
)
def test_a_mark_belongs_to_the_sentence_that_it_follows(answer: str, by_sentence: tuple[tuple[int, ...], ...]) -> None:
    assert cite(answer).by_sentence == by_sentence


def test_order_of_citation_is_kept_over_sentences() -> None:
    assert cite("It is old [3]. It is large [1]. It is deep [3, 2].").chunks == (2, 0, 1)


def test_the_jobs_list_goes_before_marks() -> None:
    contexts = [{"id": name, "text": f"Text {name}."} for name in "abc"]
    citations = cite("It is old [1]. It is large [3].", contexts, cited_chunks=["c", "2", "x", "9", "c"])
    assert citations == Citations((2, 1), ((), (2,)), ("x", "9"), listed=True)


def test_an_empty_list_cites_nothing_whatever_is_marked() -> None:
    citations = cite("It is old [1]. It is large [7].", cited_chunks=[])
    assert citations == Citations((), ((), ()), (), listed=False)


def test_a_list_of_nothing_that_exists_is_a_citation_in_vain() -> None:
    citations = cite("It is old [1].", cited_chunks=["x"])
    assert (citations.chunks, citations.unresolved, citations.exist) == ((), ("x",), True)


def test_the_single_string_form_is_chunk_one() -> None:
    citations = cite("It is old [1]. It is large [2].", None, rag_context="It is old and large.")
    assert (citations.chunks, citations.unresolved) == ((0,), ("2",))


def test_a_job_without_context_cites_nothing() -> None:
    assert cite("It is old [1].", None).exist is False


def test_a_case_reads_them_once(ports: Ports, make_job: Callable[..., Job]) -> None:
    case = Case(make_job(response_text="The harbour is old [2].", contexts=FOUR), PROFILES["evidence"], ports)
    assert case.citations.chunks == (1,)
    assert case.citations is case.citations


@given(
    st.lists(
        st.sampled_from(["It is old", " [1]", "[2-9]", ". ", "\n", "【3†source】", "[doc 4]", "[", "]"]), max_size=30
    )
)
def test_citations_are_chunks_of_the_job_each_once(parts: list[str]) -> None:
    citations = cite("".join(parts))
    assert set(citations.chunks) <= set(range(4))
    for chunks in (citations.chunks, *citations.by_sentence):
        assert len(set(chunks)) == len(chunks)
    assert {chunk for chunks in citations.by_sentence for chunk in chunks} == set(citations.chunks)
