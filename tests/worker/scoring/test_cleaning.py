from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.cleaning import clean


@pytest.mark.parametrize(
    ("sentence", "cleaned"),
    [
        ("The country counts **438** million inhabitants.", "The country counts 438 million inhabitants."),
        ("Okafor et al. [2019] measured the drift twice.", "Okafor et al. measured the drift twice."),
        ("Paris is the capital [1].", "Paris is the capital."),
        ("Paris [1][2] is large [3, 4; 7-9].", "Paris is large."),
        ("Paris is large.[^2]", "Paris is large."),
        ("[1] Paris is large.", "Paris is large."),
        ("Paris is large【4†source】【4:0†source】.", "Paris is large."),
        ("Paris is large [Source 2] and old [doc-3].", "Paris is large and old."),
        ("Paris is large [1](https://example.org/a).", "Paris is large."),
        ("See [the *manual*](https://example.org) first.", "See the manual first."),
        ("- The pump is *really* loud", "The pump is really loud"),
        ("1. Open the valve", "Open the valve"),
        ("## The _second_ step", "The second step"),
        ("> Quoted `code` here", "Quoted code here"),
        ("**The tower is tall.", "The tower is tall."),
        ("It is old.**", "It is old."),
        ("***Very*** ~~bad~~ __idea__", "Very bad idea"),
        ("two\n lines\tand  spaces", "two lines and spaces"),
        ("**京都**是古都。", "京都是古都。"),
        ("[1]", ""),
    ],
)
def test_marks_do_not_reach_the_model(sentence: str, cleaned: str) -> None:
    assert clean(sentence) == cleaned


@pytest.mark.parametrize(
    "sentence",
    [
        "It costs 2 * 3 * 4 euros.",
        "2**3 is 8, and 2 ** 3 too.",
        "Call my_long_name and _private.",
        "【重要】 Open the valve.",
        "The list [a, b] is short.",
        "In 1889. it opened.",
        "The range is -5 to +5 degrees.",
        "Lone * star and # hash.",
    ],
)
def test_what_is_no_mark_stays(sentence: str) -> None:
    assert clean(sentence) == sentence


@given(st.text())
def test_any_text_becomes_one_line_without_blanks_at_its_ends(text: str) -> None:
    cleaned = clean(text)
    assert cleaned == " ".join(cleaned.split())


@pytest.mark.parametrize("piece", ["[", "[1", "*", "*a ", "_", "_a ", "**", "`", "【1", "[1, ", " ", "[x](", "!["])
def test_long_runs_of_marks_end(piece: str) -> None:
    assert len(clean(piece * 20_000)) <= len(piece) * 20_000
