"""Laws that hold for any text at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.models import RuleSplitter
from groundwire.models.sentences import MAX_SENTENCE_CHARS, is_list_marker

if TYPE_CHECKING:
    from groundwire.models import SpacySplitter, Splitter

any_text = st.text(st.characters(exclude_categories=[]), max_size=300)
"""Any code points, lone surrogates, NUL and combining marks included."""

words = ["The", "pump", "leaks", "e.g.", "Dr.", "J.", "3.5", "https://x.org/a.b", "\u0301", "\x00", "\ud800"]
marks = [". ", "! ", "?", "...", "\u3002", "\uff01", "\u0964", "\u061f", "[1]", '"', "(", ")"]
spaces = ["\n", "\r\n", "\u2028", "\u00a0", " ", "1.", "- ", "a)"]
texts_like_prose = st.lists(st.sampled_from(words + marks + spaces), max_size=60).map("".join)

texts = any_text | texts_like_prose


@pytest.fixture(params=["rules", "spacy"])
def splitter(request: pytest.FixtureRequest, spacy_splitter: SpacySplitter) -> Splitter:
    return RuleSplitter() if request.param == "rules" else spacy_splitter


# the splitters keep no state between texts, so that one may serve all of an example's runs
for_any_text = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@for_any_text
@given(text=texts)
def test_spans_are_ordered_disjoint_and_neither_blank_nor_padded(splitter: Splitter, text: str) -> None:
    end = 0
    spans = splitter.split(text)
    assert spans == splitter.split(text)
    for span in spans:
        sentence = text[span.start : span.end]
        assert end <= span.start < span.end <= len(text)
        assert sentence == sentence.strip()
        assert len(sentence) <= MAX_SENTENCE_CHARS
        assert not is_list_marker(sentence)
        end = span.end


@for_any_text
@given(text=texts)
def test_only_white_space_and_list_markers_are_left_out(splitter: Splitter, text: str) -> None:
    end = 0
    for start, stop in [(span.start, span.end) for span in splitter.split(text)] + [(len(text), len(text))]:
        gap = text[end:start].strip()
        assert not gap or all(is_list_marker(part) for part in gap.split())
        end = stop


@settings(deadline=None, max_examples=100)
@given(st.lists(texts_like_prose, min_size=1, max_size=4))
def test_lines_are_split_independently_of_each_other(lines: list[str]) -> None:
    splitter = RuleSplitter()
    text = "\n\n".join(lines)
    together = [text[span.start : span.end] for span in splitter.split(text)]
    assert together == [line[span.start : span.end] for line in lines for span in splitter.split(line)]
