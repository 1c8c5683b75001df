"""What a sentence is held against: a premise for the NLI model, and where in the context its words stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from groundwire.worker.scoring.context import ContextField, Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Premise:
    """A premise.

    Attributes:
        text: What the model reads.
        passages: The stretches of the context that it was made from, in reading order.
    """

    text: str
    passages: tuple[Passage, ...]


class PremiseSource(Protocol):
    """Gives the premises to hold a sentence against."""

    @property
    def picks(self) -> bool:
        """Whether premises are picked from more than they hold, so that they may be about something else."""
        ...

    def premises(self, claim: str) -> Sequence[Premise]:
        """Give the premises for a cleaned sentence, at least one unless the context is blank."""
        ...


class WholeContextPieces:
    """The whole context as one premise, or pieces of it that don't overlap, the same for every sentence.

    Args:
        context: The context's fields, in order.
        max_whole_words: A context of up to so many words is one premise.
        piece_words: A longer one is cut into pieces of at most so many words, wherever that falls.
    """

    def __init__(self, context: Sequence[ContextField], max_whole_words: int, piece_words: int) -> None:
        words = [Passage(field, word.start(), word.end()) for field in context for word in _WORD.finditer(field.text)]
        size = piece_words if len(words) > max_whole_words else max_whole_words
        self._pieces = [_piece(words[start : start + size]) for start in range(0, len(words), size)]

    @property
    def picks(self) -> bool:
        """No: each sentence is held against all there is."""
        return False

    def premises(self, claim: str) -> Sequence[Premise]:  # noqa: ARG002 - the protocol's other side needs it
        """Give every piece."""
        return self._pieces


def _piece(words: Sequence[Passage]) -> Premise:
    stretches = [list(run) for _, run in groupby(words, key=lambda word: id(word.source))]
    return Premise(
        text=" ".join(word.text for word in words),
        passages=tuple(Passage(run[0].source, run[0].start, run[-1].end) for run in stretches),
    )
