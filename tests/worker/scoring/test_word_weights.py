"""What a word counts when sentences are ranked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.word_weights import has_content, weight_of


@pytest.mark.parametrize(("one", "other"), [("the", "people"), ("people", "mill"), ("mill", "zoanthids")])
def test_a_rarer_word_counts_more(one: str, other: str) -> None:
    assert 0 < weight_of(one) < weight_of(other)


def test_a_function_word_counts_less_than_any_other() -> None:
    assert not has_content("because")
    assert not has_content("'s")
    assert weight_of("because") < weight_of("people")


@given(st.text(min_size=1))
def test_weights_lie_between_0_and_1(term: str) -> None:
    assert 0 < weight_of(term) <= 1
