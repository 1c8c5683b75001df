"""Texts of more than a million characters, which spaCy by itself refuses (explosion/spaCy#2817), in several shapes.

spaCy reads them in pieces, so a text of several pieces shows what a million characters would in a fifth of the time;
`test_spacy_splitter.py` has the million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import spacy

from groundwire.models import RuleSplitter, SpacySplitter
from groundwire.models.answer_units import UnitKind, answer_units
from groundwire.models.sentences import MAX_SENTENCE_CHARS

if TYPE_CHECKING:
    from pathlib import Path

    from groundwire.models import Splitter

LENGTHS = {"rules": 1_000_001, "spacy": 200_001}
SHAPES = {
    "prose": "The pump moves water through the old valve. ",
    "lines": "The pump moves water.\n",
    "paragraphs": "The pump moves water.\n\n",
    "list items": "- The pump moves water\n",
    "numbered items": "1. The pump moves water!\n",
    "no end marks": "the pump moves water and ",
    "no spaces": "x",
    "Chinese": "\u6e05\u6c34\u5bfa\u5efa\u4e8e778\u5e74\u3002",
    "Thai": "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e\u0e40\u0e1b\u0e47\u0e19\u0e40\u0e21\u0e37\u0e2d\u0e07 ",
    "headings": "# Pumps\n\nThe pump moves water.\n\n",
}


@pytest.fixture
def splitter(name: str, tmp_path: Path) -> Splitter:
    if name == "rules":
        return RuleSplitter()
    # a pipeline that is quick enough for such texts; cutting them into pieces is the splitter's own
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path / "pipeline")
    return SpacySplitter.load(str(tmp_path / "pipeline"))


@pytest.mark.parametrize("name", LENGTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_very_long_texts_are_cut_without_loss(splitter: Splitter, name: str, shape: str) -> None:
    length = LENGTHS[name]
    text = (SHAPES[shape] * (length // len(SHAPES[shape]) + 1))[:length]
    units = answer_units(text, splitter)
    claims = [unit for unit in units if unit.kind is UnitKind.SENTENCE]
    assert max(unit.end - unit.start for unit in claims) <= MAX_SENTENCE_CHARS
    left_out = len("".join(text.split())) - sum(len("".join(text[u.start : u.end].split())) for u in units)
    markers = sum(text.count(marker) for marker in ("- ", "1. ", "# "))
    assert left_out <= 2 * markers
    assert units[-1].end >= length - len(SHAPES[shape])
