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
    assert texts("The road leads to the mill that grinds rye by hand.", HARBOUR) == [
        "The mill grinds rye and oats.",
        "A road leads to the mill. The mill grinds rye and oats.",
        "The harbour was dug by hand. A road leads to the mill. The mill grinds rye and oats.",
    ]


def test_a_sentence_joins_if_it_covers_more_of_the_claim() -> None:
    assert texts("The mill grinds rye and oats.", HARBOUR, "A mill grinds.") == ["The mill grinds rye and oats."]


def test_a_sentence_of_another_document_joins_if_it_covers_two_words_more() -> None:
    claim, near = "The mill grinds rye for bakers in Ribe.", "The mill grinds rye. It closed."
    assert texts(claim, near, "Trains stop in Ribe. Buses don't.") == ["The mill grinds rye."]
    assert texts(claim, near, "The bakers of Ribe sell bread. They are old.") == [
        "The mill grinds rye.",
        "The mill grinds rye. The bakers of Ribe sell bread.",
    ]
    sentences_as_chunks = texts(claim, "The mill grinds rye.", "Trains stop in Ribe.")
    assert sentences_as_chunks[-1] == "The mill grinds rye. Trains stop in Ribe."


def test_chunks_about_a_claim_are_those_of_its_premises_and_those_that_share_nearly_as_much() -> None:
    def about(claim: str, *contexts: str) -> frozenset[int]:
        fields = read_context(Job(trace_id="t", span_id="s", response_text="x", contexts=contexts))
        return EvidenceIndex(fields, RuleSplitter(), (1, 2, 3)).chunks_about(claim)

    other = "A train stops at nine. Then it leaves."
    assert about("The mill grinds rye.", other, HARBOUR, "The mill grinds. It is old.", other) == {1, 2}
    assert about("The mill grinds rye.", "Trains stop.", HARBOUR) == {0, 1}  # a chunk of one sentence is no document
    assert about("The mill grinds rye.", other, "The mill grinds rye. It is old.") == {1}


def test_a_title_is_no_premise_by_itself_where_a_sentence_is_about_the_claim() -> None:
    def premises(claim: str, title: str, text: str) -> list[str]:
        job = Job(trace_id="t", span_id="s", response_text="x", contexts=[{"title": title, "text": text}])
        return [one.text for one in EvidenceIndex(read_context(job), RuleSplitter(), (1, 2, 3)).premises(claim)]

    mill = "It is a small mill by the river with two sails."
    assert premises("The Skovby mill has two sails.", "Skovby", mill) == [mill, f"Skovby {mill}"]
    assert premises("The Skovby mill.", "The Skovby mill", mill) == ["The Skovby mill"]
    assert premises("Skovby has a harbour.", "Skovby", mill) == ["Skovby"]


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
