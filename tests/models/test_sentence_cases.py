"""Inputs that other splitters got wrong, each with the public report that its kind is known from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.models import RuleSplitter

if TYPE_CHECKING:
    from groundwire.models import SpacySplitter, Splitter

LINES = (Path(__file__).parents[1] / "cases" / "sentences.jsonl").read_text("utf-8").splitlines()
CASES = [pytest.param(json.loads(line), id=f"{json.loads(line)['from']}-{number}") for number, line in enumerate(LINES)]


@pytest.fixture(params=["rules", "spacy"])
def splitter(request: pytest.FixtureRequest, spacy_splitter: SpacySplitter) -> Splitter:
    return RuleSplitter() if request.param == "rules" else spacy_splitter


@pytest.mark.parametrize("case", CASES)
def test_the_sentences_of_a_known_pitfall(splitter: Splitter, case: dict[str, Any]) -> None:
    text = case["text"]
    assert [text[span.start : span.end] for span in splitter.split(text)] == case["sentences"]
