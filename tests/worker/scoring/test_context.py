from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import EvidenceField, Job
from groundwire.worker.scoring.context import read_context, text_length

if TYPE_CHECKING:
    from collections.abc import Callable

FULL_CHUNK = {
    "id": "c7",
    "title": "Pumps",
    "heading_hierarchy": ["Manual", " ", "Start-up "],
    "description": "How to start a pump.",
    "text": "Open the valve.",
    "html": "<p>Then press <b>start</b>.</p>",
}


def test_the_fields_of_a_chunk_in_reading_order(make_job: Callable[..., Job]) -> None:
    fields = read_context(make_job(response_text="x", contexts=["First.", FULL_CHUNK]))
    assert [(field.context_index, field.context_id, field.field.value, field.text) for field in fields] == [
        (0, None, "text", "First."),
        (1, "c7", "title", "Pumps"),
        (1, "c7", "heading", "Manual > Start-up"),
        (1, "c7", "description", "How to start a pump."),
        (1, "c7", "text", "Open the valve."),
        (1, "c7", "html_text", "Then press start."),
    ]


def test_the_single_string_is_chunk_0(make_job: Callable[..., Job]) -> None:
    [field] = read_context(make_job(response_text="x", rag_context=" As it stands. "))
    assert (field.context_index, field.field, field.text) == (0, EvidenceField.TEXT, " As it stands. ")


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"rag_context": ""},
        {"rag_context": " \n\u00a0\u200b\ufeff"},
        {"contexts": []},
        {"contexts": [""]},
        {
            "contexts": [
                "  ",
                {"text": "", "title": " ", "heading_hierarchy": ["", " "]},
                {"html": "<p>&nbsp;<script>x</script>"},
            ]
        },
    ],
)
def test_a_context_of_blanks_has_no_fields(make_job: Callable[..., Job], context: dict[str, object]) -> None:
    assert read_context(make_job(response_text="x", **context)) == ()


def test_the_length_counts_texts_joined_by_blank_lines_and_no_titles(make_job: Callable[..., Job]) -> None:
    job = make_job(response_text="x", contexts=["a" * 10, "", {**FULL_CHUNK, "html": "<p>" + "b" * 20}])
    assert text_length(read_context(job)) == 10 + 2 + len("Open the valve.") + 2 + 20
