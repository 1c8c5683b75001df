from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.html_nesting import MAX_DEPTH, limit_nesting
from groundwire.worker.scoring.html_text import html_to_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("plain text, a < b", "plain text, a < b"),
        ("<p>A &amp; B&nbsp;C</p><p>D&eacute;j&#224;</p>", "A & B C\nDéjà"),
        ("<h1>Title</h1>text<br>next<hr>last", "Title\ntext\nnext\nlast"),
        ("<ul><li>one<li>two<ol><li>nested</ol></ul>", "one\ntwo\nnested"),
        ("<dl><dt>Term<dd>Meaning</dl>", "Term\nMeaning"),
        ("<p>hard\nwrapped <b>bo</b>ld</p>", "hard wrapped bold"),
        ("<p>soft&shy;hyphen</p>", "softhyphen"),
        ("x<!-- gone -->y", "xy"),
        ("<pre>def f():\n    return 1\n</pre>tail", "def f():\n    return 1\ntail"),
    ],
)
def test_lines_of_a_page(html: str, text: str) -> None:
    assert html_to_text(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "<table><caption>Prices</caption><tr><th>Name<th>EUR<tr><td>Pump<td>5</table>",
            "Prices\nName | EUR\nPump | 5",
        ),
        ("<table><tr><td><p>a</p><p>b</p><td><ul><li>c<li>d</ul></table>", "a b | c d"),
        ("<table><tr><td><table><tr><td>a<td>b</table><p>one</p><p>two</p></table>", "a | b\none\ntwo"),
        ("<td>cut</td><td>out</td></tr><tr><td>of</td><td>it</td></tr></table>after", "cut | out\nof | it\nafter"),
    ],
)
def test_a_row_is_a_line(html: str, text: str) -> None:
    assert html_to_text(html) == text


@pytest.mark.parametrize("tag", ["script", "style", "template", "noscript", "title", "iframe"])
def test_what_no_reader_sees_vanishes(tag: str) -> None:
    assert html_to_text(f"<{tag}>gone</{tag}><p>there</p><{tag}>gone</{tag}>") == "there"
    assert html_to_text(f"<!doctype html><html><head><{tag}>gone</{tag}></head><body>there</body></html>") == "there"


@given(
    st.lists(
        st.sampled_from(
            ["<", ">", "/", "td", "script", "<b", "</b>", "<tr>", "</div>", "<!--", "&amp;", "&#0;", "'", "x", "é", " "]
        )
    )
)
def test_malformed_html_gives_text_without_blank_lines(pieces: list[str]) -> None:
    text = html_to_text("".join(pieces))
    assert all(line.strip() for line in text.split("\n")) or not text


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 30_000,
        "<b><p>" * 20_000,
        "<table><tr><td>" * 10_000,
        "<i-x>" * 20_000 + "</y>" * 20_000,
        "<svg>" * 9_000,
        "".join(f"<p><font a={number}>" for number in range(5_000)),
        "<li><ul></li>" * 10_000,
        "<dd><li>" * 10_000,
    ],
)
def test_deep_nesting_is_cut_off_and_text_stays(html: str) -> None:
    assert html_to_text(f"{html}below").split("\n")[-1].strip(" |") == "below"


def test_pages_of_common_depth_are_not_changed() -> None:
    page = "<html><body>" + "<div><section><ul><li><p>x</p></li></ul></section></div>" * 1_000 + "</body></html>"
    assert limit_nesting(page) == page


def test_unclosed_paragraphs_items_and_cells_are_no_depth() -> None:
    page = "<table>" + "<tr><td>a<p>b<td>c" * 1_000 + "</table><ul>" + "<li>d<p>e" * 1_000 + "</ul>" + "<p>f" * 1_000
    assert limit_nesting(page) == page


@pytest.mark.parametrize("seed", range(30))
def test_repeated_tags_of_any_kind_nest_within_bounds(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's choice, nothing secret
    names = [
        "div",
        "p",
        "li",
        "ul",
        "td",
        "tr",
        "table",
        "svg",
        "math",
        "desc",
        "a",
        "b",
        "x-y",
        "select",
        "option",
        "h1",
    ]
    pattern = "".join(f"<{chance.choice(['', '', '/'])}{chance.choice(names)}>" for _ in range(chance.randint(1, 6)))
    assert depth(limit_nesting(pattern * 800)) <= 2 * MAX_DEPTH + 20


def depth(html: str) -> int:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415

    node, now, deepest = LexborHTMLParser(html).root, 0, 0
    while node is not None:
        if node.child is not None:
            node, now = node.child, now + 1
            deepest = max(deepest, now)
            continue
        while node is not None and node.next is None:
            node, now = node.parent, now - 1
        node = node.next if node is not None else None
    return deepest
