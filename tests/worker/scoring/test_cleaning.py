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
        ("It is tall.\u00b9", "It is tall."),
        ("It is tall\u00b2\u02d2\u00b3.", "It is tall."),
        ("Built in 1889\u00b9, it is old.", "Built in 1889, it is old."),
        ("The WHO\u00b9 and 99%\u00b9 of it.", "The WHO and 99% of it."),
        ("It fell.<sup>[2, 3]</sup>", "It fell."),
        ("The 5<sup>th</sup> is m<sup>2</sup>.", "The 5th is m2."),
        ("It is tall (Smith et al., 2020).", "It is tall."),
        ("It is so (Smith & Lee, 2021; see Kim, 2019).", "It is so (Smith & Lee, 2021; see Kim, 2019)."),
        ("It is so (Smith & Lee, 2021; Kim, 2019).", "It is so."),
        ("It is so (see van der Berg and O'Neil, 2021, p. 12).", "It is so."),
        ("It is so.[^note]", "It is so."),
        ("See [it](https://en.wikipedia.org/wiki/Foo_(bar)) now.", "See it now."),
        ('See [it](https://x.org "Title") now.', "See it now."),
        ("See <https://x.org/a> or <b>bold</b><br/>text.", "See https://x.org/a or bold text."),
        ("R&amp;D costs \\$5 \\*.", "R&D costs $5 *."),
        ("\U0001f600 It is great! \U0001f389\U0001f469\u200d\U0001f4bb", "It is great!"),
        ("1\ufe0f\u20e3 Open it.", "Open it."),
        ("Seats: 15 [1]; Plan: **Team**", "Seats: 15; Plan: Team"),
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
        "The area is 10 m\u00b2, 5 km\u00b2 and 10\u00b3 cm\u2074.",
        "R\u00b2 is 0.9, and x\u00b3 grows at 5 s\u207b\u00b9.",
        "The firm (founded in 2020) is young.",
        "It was shown in France (Paris, 1900) and later (May and June, 2020).",
        "Smith et al. (2020) counted the birds.",
        "If x < y and y > z, it holds.",
        "I \u2764\ufe0f Paris a lot.",
    ],
)
def test_what_is_no_mark_stays(sentence: str) -> None:
    assert clean(sentence) == sentence


@given(st.text())
def test_any_text_becomes_one_line_without_blanks_at_its_ends(text: str) -> None:
    cleaned = clean(text)
    assert cleaned == " ".join(cleaned.split())


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "[1",
        "*",
        "*a ",
        "_",
        "_a ",
        "**",
        "`",
        "【1",
        "[1, ",
        " ",
        "[x](",
        "![",
        "<",
        "<b ",
        "(A ",
        "(A, ",
        "(A & B, 2020; ",
        "\u00b9",
        "\u00b9,",
        "\\",
        "&",
        "[^",
        "\U0001f600",
    ],
)
def test_long_runs_of_marks_end(piece: str) -> None:
    assert len(clean(piece * 20_000)) <= len(piece) * 20_000
