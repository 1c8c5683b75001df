from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from groundwire.models import RuleSplitter
from groundwire.schemas import Job
from groundwire.worker.scoring.context import read_context
from groundwire.worker.scoring.evidence import EvidenceIndex

if TYPE_CHECKING:
    from groundwire.worker.scoring.premises import Premise

HARBOUR = "The harbour was dug by hand. Boats winter there. A road leads to the mill. The mill grinds rye and oats."


def premises(claim: str, *contexts: Any, sizes: tuple[int, ...] = (1, 2, 3)) -> list[Premise]:
    fields = read_context(Job(trace_id="t", span_id="s", response_text="x", contexts=contexts))
    return EvidenceIndex(fields, RuleSplitter(), sizes).premises(claim)


def texts(claim: str, *contexts: Any) -> list[str]:
    return [premise.text for premise in premises(claim, *contexts)]


def test_premises_are_the_best_one_two_and_three_sentences_in_reading_order() -> None:
    assert texts("The mill grinds rye by hand.", HARBOUR) == [
        "The mill grinds rye and oats.",
        "The harbour was dug by hand. The mill grinds rye and oats.",
        "The harbour was dug by hand. A road leads to the mill. The mill grinds rye and oats.",
    ]


def test_fewer_sentences_give_fewer_premises() -> None:
    assert texts("The mill grinds rye.", "The mill grinds rye and oats.") == ["The mill grinds rye and oats."]


def test_every_field_can_be_found() -> None:
    chunk = {
        "title": "The otter, a portrait",
        "heading_hierarchy": ["Mammals", "Weasels"],
        "description": "About animals of the river bank.",
        "text": "It eats fish.",
        "html": "<table><tr><td>Weight<td>9 kg</table>",
    }
    for claim, found in [
        ("An otter portrait", "The otter, a portrait"),
        ("Weasels are mammals", "Mammals > Weasels"),
        ("Animals of the bank", "About animals of the river bank."),
        ("Fish it eats", "It eats fish."),
        ("A weight of 9 kg", "Weight | 9 kg"),
    ]:
        assert texts(claim, HARBOUR, chunk)[0] == found


def test_marks_of_the_context_do_not_reach_the_model_but_stay_in_the_passage() -> None:
    [premise] = premises("38 million people live there", "There live **38** million people [2].")
    assert premise.text == "There live 38 million people."
    assert premise.passages[0].text == "There live **38** million people [2]."


def test_a_context_of_marks_alone_is_still_a_premise() -> None:
    assert texts("Anything at all", "[1] [2] [3]") == ["[1] [2] [3]"]
    assert texts("Anything at all", "1.\n2.\n-")[0]


def test_rare_words_count_more_than_common_ones() -> None:
    context = "The cliff is by the sea. The mill is by the sea. Zoanthids sting."
    assert texts("The animal is one of the zoanthids.", context)[0] == "Zoanthids sting."


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert texts("清水寺建于778年。", "京都是日本的古都。清水寺建于778年。")[0] == "清水寺建于778年。"
    assert texts("Ростов стоит на Дону", "Москва велика. Ростов стоит.")[0] == "Ростов стоит."


def test_repeated_chunks_change_nothing() -> None:
    other = "Nothing here is about it. The mill closed."
    once = texts("The mill grinds rye by hand.", HARBOUR, other)
    assert texts("The mill grinds rye by hand.", HARBOUR, other, HARBOUR, HARBOUR, other) == once


@given(
    st.permutations([HARBOUR, "The mill closed. Rye is a grain.", "Oats too.", {"text": "By hand.", "title": "Mill"}])
)
def test_the_order_of_chunks_changes_no_premise(contexts: list[Any]) -> None:
    expected = texts("The mill grinds rye by hand.", *sorted(contexts, key=str))
    assert texts("The mill grinds rye by hand.", *contexts) == expected


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1), st.text())
def test_passages_of_any_context_lie_in_their_fields(contexts: list[str], claim: str) -> None:
    if not any(read_context(Job(trace_id="t", span_id="s", response_text="x", contexts=contexts))):
        return
    found = premises(claim, *contexts)
    assert found
    for premise in found:
        assert premise.text.strip()
        for passage in premise.passages:
            field = contexts[passage.source.context_index]
            assert passage.text == field[passage.start : passage.end]
            assert passage.text == passage.text.strip() != ""
