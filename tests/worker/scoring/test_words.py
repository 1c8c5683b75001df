from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.words import count_words, terms


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" \n\t", 0),
        ("It was built in 1889.", 5),
        ("well-known state-of-the-art", 2),
        ("don't 3.5 7%", 3),
        ("京都是日本的古都。", 8),
        ("カタカナ", 1),
        ("GPT-4是OpenAI的模型", 7),
        ("서울은 한국의 수도이다", 3),
        ("مرحبا بالعالم", 2),
    ],
)
def test_words_of_several_scripts(text: str, count: int) -> None:
    assert count_words(text) == count


def test_thai_has_words_though_it_has_no_spaces() -> None:
    assert count_words("กรุงเทพเป็นเมืองหลวงของประเทศไทย") >= 5


@given(st.text())
def test_every_stretch_between_white_space_without_such_scripts_is_one_word(text: str) -> None:
    plain = "".join(character if ord(character) < 0x0E00 else "x" for character in text)
    assert count_words(plain) == len(plain.split())


def test_terms_ignore_case_and_the_shape_of_apostrophes() -> None:
    assert (
        terms("The Tower\N{RIGHT SINGLE QUOTATION MARK}s HEIGHT")
        == terms("the tower's height")
        == ["the", "tower's", "height"]
    )


def test_terms_of_scripts_without_spaces_are_characters() -> None:
    assert terms("清水寺AB") == ["清", "水", "寺", "ab"]
