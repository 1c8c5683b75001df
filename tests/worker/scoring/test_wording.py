"""How a sentence of the context is read beside a claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.wording import in_words_of


@pytest.mark.parametrize(
    ("claim", "sentence", "read"),
    [
        ("It sold 1250 boats.", "It sold 1,250 boats.", "It sold 1250 boats."),
        ("It sold 1,250 boats.", "It sold 1250 boats in 1990.", "It sold 1,250 boats in 1990."),
        ("It earned $1200000.50.", "It earned $1,200,000.50.", "It earned $1200000.50."),
        ("It sold 1250 boats, not 1,250.", "It sold 1,250 boats.", "It sold 1,250 boats."),
        ("It sold 1251 boats.", "It sold 1,250 boats.", "It sold 1,250 boats."),
        ("It sold 250 boats.", "It sold 1,250 boats.", "It sold 1,250 boats."),
        ("See 345.", "See 3,4,5.", "See 3,4,5."),
        ("Version 1250.3 is out.", "Version 1,250.3.4 is out.", "Version 1,250.3.4 is out."),
        ("The learning rate is 0.1.", "Adam(lr=0.1)", "Adam(learning rate=0.1)"),
        ("A weight decay of 0.1.", "WD = 0.1, lr=0.2", "weight decay = 0.1, lr=0.2"),
        ("A learning rate of 0.1.", "lr of 0.1, lr==0.1, flr=0.1", "lr of 0.1, lr==0.1, flr=0.1"),
    ],
)
def test_numbers_and_names_of_arguments_are_written_as_in_the_claim(claim: str, sentence: str, read: str) -> None:
    assert in_words_of(claim, sentence, sentence) == read


@pytest.mark.parametrize(
    "note",
    [
        "Seven years as a welder, expert level.",
        "Trained as a welder.",
        "Fluent in Danish, welder since 2011.",
        "Certified welder since 2011.",
        "Works as a welder every day.",
        "Coaches the welder of the year.",
        "Speaks Danish with every welder.",
        "Has worked as a welder.",
    ],
)
def test_a_note_without_a_subject_is_about_the_subject_of_the_claim(note: str) -> None:
    assert in_words_of("The candidate knows how a welder works.", note, note) == f"The candidate: {note}"


@pytest.mark.parametrize(
    ("claim", "sentence", "around"),
    [
        ("The candidate is a welder.", "Anna Berg trained as a welder.", ""),
        ("The candidate is a welder.", "Berg trained as a welder.", ""),
        ("The candidate is a welder.", "Berg led the welder.", ""),
        ("The candidate is a welder.", "Pipes need a welder.", ""),
        ("The candidate is a welder.", "James Berg is no welder.", ""),
        ("The candidate is a welder.", "Hans Berg trained as a welder.", ""),
        ("The candidate is a welder.", "Children like the welder.", ""),
        ("The candidate is a welder.", "The foreman trained as a welder.", ""),
        ("The candidate is a welder.", "In 1990 trained as a welder.", ""),
        ("The candidate is a welder.", "Her brother was a welder.", ""),
        ("The candidate is a welder.", "Welder?", ""),
        ("The candidate is a welder.", "Certified welder: no.", ""),
        ("The candidate is a welder.", "Certified welder since 2011.", "Candidates are listed here."),
        ("The candidate is a welder.", "Fluent in Danish.", ""),
        ("The candidate, Anna, is a welder.", "Certified welder since 2011.", ""),
        ("Anna is a welder.", "Certified welder since 2011.", ""),
        ("A candidate is a welder.", "Certified welder since 2011.", ""),
        ("The candidate is a welder.", "Welder " + "of large and small pipes " * 4, ""),
    ],
)
def test_what_may_have_another_subject_is_left_as_it_is(claim: str, sentence: str, around: str) -> None:
    assert in_words_of(claim, sentence, f"{sentence} {around}") == sentence


@given(st.text(), st.text())
def test_any_text_is_read_and_one_in_the_words_of_the_claim_stays(claim: str, sentence: str) -> None:
    read = in_words_of(claim, sentence, sentence)
    assert in_words_of(claim, read, read) == read
    assert in_words_of(claim, claim, claim) == claim
