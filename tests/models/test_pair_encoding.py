from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.models.pair_encoding import CLS, SEP, PairEncoder, replace_lone_surrogates, windows

if TYPE_CHECKING:
    from groundwire.models import ModelFiles


@pytest.fixture(scope="module")
def encoder(embedded_files: ModelFiles) -> PairEncoder:
    return PairEncoder(embedded_files.path_tokenizer, max_tokens=64)


@given(st.lists(st.integers(), max_size=200), st.integers(1, 40))
def test_windows_cover_everything_in_order_within_their_size(ids: list[int], size: int) -> None:
    parts = list(windows(list(range(len(ids))), size))
    assert all(len(part) <= size for part in parts)
    assert sorted({index for part in parts for index in part}) == list(range(len(ids)))
    assert all(part == list(range(part[0], part[-1] + 1)) for part in parts if part)


@given(st.integers(5, 200), st.integers(4, 40))
def test_neighbouring_windows_share_tokens(count: int, size: int) -> None:
    parts = list(windows(list(range(count)), size))
    assert all(left[-1] >= right[0] for left, right in pairwise(parts))


def test_what_fits_is_one_row(encoder: PairEncoder) -> None:
    (row,) = encoder.rows([("A premise.", "A hypothesis.")])
    assert row.ids == [CLS, *encoder.text_ids("A premise."), SEP, *encoder.text_ids("A hypothesis."), SEP]


@given(st.integers(0, 150), st.integers(0, 150))
def test_no_word_of_a_long_pair_is_lost(encoder: PairEncoder, premise_words: int, hypothesis_words: int) -> None:
    premise, hypothesis = ("apple " * premise_words).strip(), ("river " * hypothesis_words).strip()
    rows = encoder.rows([(premise, hypothesis)])
    apple, river = encoder.text_ids("apple"), encoder.text_ids("river")
    assert all(len(row.ids) <= 64 for row in rows)
    windows_of_hypothesis = {row.window for row in rows}
    assert windows_of_hypothesis == set(range(len(windows_of_hypothesis)))
    for window in windows_of_hypothesis:
        # every window of the hypothesis meets the whole premise
        assert sum(row.ids.count(apple[0]) for row in rows if row.window == window) >= premise_words
    first_rows = {row.window: row for row in reversed(rows)}.values()
    assert sum(row.ids.count(river[0]) for row in first_rows) >= hypothesis_words


@given(st.text(st.characters(exclude_categories=[])))
def test_replacing_surrogates_keeps_the_length_and_everything_else(text: str) -> None:
    replaced = replace_lone_surrogates(text)
    assert len(replaced) == len(text)
    assert all(new == old or "\ud800" <= old <= "\udfff" for new, old in zip(replaced, text, strict=True))
    replaced.encode("utf-8")
