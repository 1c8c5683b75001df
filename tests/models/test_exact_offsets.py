"""Whatever an answer holds, its units are exact stretches of it and lose nothing.

`make fuzz` tries 100,000 strings, the test suite a few.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.models import RuleSplitter
from groundwire.models.answer_units import UnitKind, answer_units
from groundwire.models.sentences import MAX_SENTENCE_CHARS, is_list_marker

if TYPE_CHECKING:
    from groundwire.models import SpacySplitter, Splitter

EXAMPLES = int(os.environ.get("GROUNDWIRE_FUZZ_EXAMPLES", "150"))

SLOWER = 10
"""The parser takes ten times as long, and cuts by the same offsets: it gets as many strings fewer."""

any_text = st.text(st.characters(exclude_categories=[]), max_size=200)
"""Any code points, lone surrogates, NUL and combining marks included."""

pieces = st.sampled_from(
    [
        *(
            "The pump leaks",
            "e.g.",
            "J.",
            "3.5",
            "https://x.org/a.b",
            "\u6e05\u6c34\u5bfa",
            "\u0e01\u0e23\u0e38\u0e07",
            "\u0301",
        ),
        *("\x00", "\ud800", "\U0001f600", "1\ufe0f\u20e3", "\u00b2", "<sup>1</sup>", "[1]", "(Smith et al., 2020)"),
        *(". ", "! ", "?", "...", "\u3002", "\uff01", "\u0964", "\u061f", '"', "(", ")", ":"),
        *("\n", "\n\n", "\r\n", "\u2028", "\x1c", "\u00a0", "\u3000", " ", "  "),
        *("# ", "## ", "===", "---", "- ", "* ", "1. ", "a) ", "> ", "| ", "|", "|---|---|\n", "**", "__", "`"),
        *("```", "```md\n", "~~~\n", "\n```\n", "\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
    ]
)
texts = any_text | st.lists(pieces | any_text, max_size=30).map("".join)

fuzz = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], database=None
)

_DRAWN = re.compile(r"[-=*_#|:>]+|[`~]{3,}(?:md|markdown)?")


def check(splitter: Splitter, text: str) -> None:
    units = answer_units(text, splitter)
    end = 0
    for unit in units:
        assert end <= unit.start < unit.end <= len(text)
        inner = text[unit.start : unit.end]
        assert inner == inner.strip()
        if unit.kind is UnitKind.SENTENCE:
            assert len(inner) <= MAX_SENTENCE_CHARS
            assert not is_list_marker(inner)
        assert (unit.statement is not None) is (unit.kind is UnitKind.TABLE_ROW)
        assert all(is_left_out(part) for part in text[end : unit.start].split())
        end = unit.end
    assert all(is_left_out(part) for part in text[end:].split())


def is_left_out(part: str) -> bool:
    """Whether a part of a text belongs to no unit: a marker, or a line that is drawn."""
    bare = part.lstrip(">")
    return not bare or is_list_marker(bare) or _DRAWN.fullmatch(bare) is not None


@settings(fuzz, max_examples=EXAMPLES)
@given(texts)
def test_units_by_rules_are_exact_and_lose_nothing(text: str) -> None:
    check(RuleSplitter(), text)


@settings(fuzz, max_examples=max(50, EXAMPLES // SLOWER))
@given(text=texts)
def test_units_by_the_parser_are_exact_and_lose_nothing(spacy_splitter: SpacySplitter, text: str) -> None:
    check(spacy_splitter, text)
