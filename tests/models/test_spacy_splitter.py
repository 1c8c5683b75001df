from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import spacy

from groundwire.models import SpacySplitter
from groundwire.models.spacy_splitter import PIECE_CHARS
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def sentencizer(tmp_path: Path) -> SpacySplitter:
    """A pipeline that is quick enough for very long texts; cutting them into pieces is the splitter's own."""
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path / "pipeline")
    return SpacySplitter.load(str(tmp_path / "pipeline"))


def test_a_million_and_one_characters_are_no_problem(sentencizer: SpacySplitter) -> None:
    sentence = "The pump moves water through the old valve. "
    text = (sentence * 23_000)[:1_000_001]
    spans = sentencizer.split(text)
    assert len(spans) == -(-1_000_001 // len(sentence))
    assert {text[span.start : span.end] for span in spans[:-1]} == {sentence.strip()}


def test_pieces_of_a_long_paragraph_end_between_sentences(spacy_splitter: SpacySplitter) -> None:
    sentence = "The engineer checked the valve and closed it again. "
    text = sentence * (3 * PIECE_CHARS // len(sentence))
    assert {text[span.start : span.end] for span in spacy_splitter.split(text)} == {sentence.strip()}


def test_a_boundary_of_the_parser_needs_an_end_mark(spacy_splitter: SpacySplitter) -> None:
    text = "Heavy duty clog cleaners, like Drano Max Gel Clog Remover, can deal with a lot of hair."
    assert len(spacy_splitter.split(text)) == 1


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The valve leaked again. Berlin sent a new one.", 2),
        ("It was built by Eiffel. Paris paid.", 2),
        ("The works of Robt. Smith hang here.", 1),
        ("It costs 50. Nobody pays.", 1),
        ("Did it leak? Berlin sent a new one.", 1),
        ("The valve leaked. 40 were sold.", 1),
    ],
)
def test_the_pipeline_decides_where_an_end_mark_leaves_a_doubt(tmp_path: Path, text: str, sentences: int) -> None:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer", config={"punct_chars": ["|"]})  # it never ends one
    pipeline.to_disk(tmp_path / "pipeline")
    assert len(SpacySplitter.load(str(tmp_path / "pipeline")).split(text)) == sentences


def test_a_missing_pipeline_says_how_to_get_one() -> None:
    with pytest.raises(ModelError, match=r"'no_such_pipeline'.*pip install 'groundwire\[embedded\]'"):
        SpacySplitter.load("no_such_pipeline")


def test_a_pipeline_that_finds_no_sentences_is_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ModelError, match="finds no sentences"):
        SpacySplitter.load(str(tmp_path / "blank"))
