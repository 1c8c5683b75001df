"""What is about the same thing as a claim, and so may contradict it."""

from __future__ import annotations

import pytest

from groundwire.worker.scoring.subject import has_same_subject

CLAIM = "The tower in Lisbon was finished in 1521."


@pytest.mark.parametrize(
    ("premise", "same"),
    [
        ("The tower in Lisbon was finished in 1519.", True),
        ("Finishing the tower took the builders until 1519.", True),
        ("Lisbon lies at the mouth of the Tagus.", False),
        ("Pastries are eaten warm.", False),
        ("", False),
    ],
)
def test_a_premise_needs_two_fifths_of_the_words_that_say_what_a_claim_is_about(premise: str, *, same: bool) -> None:
    assert has_same_subject(CLAIM, premise) is same


def test_a_claim_without_a_word_of_content_is_about_nothing() -> None:
    assert not has_same_subject("It is what it is.", "Pastries are eaten warm.")
