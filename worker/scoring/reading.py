"""What the checks by rules look up in a text that is no evidence itself, read once however many claims ask for it."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING

from groundwire.worker.scoring.alignment import sentence_spans, words_of
from groundwire.worker.scoring.calendar_dates import CalendarDate, read_dates, weekdays
from groundwire.worker.scoring.quantities import Quantity, read_quantities
from groundwire.worker.scoring.quantity_agreement import digit_runs
from groundwire.worker.scoring.unfounded import Vocabulary, vocabulary_of

if TYPE_CHECKING:
    from groundwire.worker.scoring.alignment import Word


class Reading:
    """A text and what stands in it, each part read when it is first asked for.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Its numbers and the stems of its words."""
        return vocabulary_of(self._text)

    @cached_property
    def dates(self) -> list[CalendarDate]:
        """Its dates."""
        return read_dates(self._text)

    @cached_property
    def weekdays(self) -> frozenset[int]:
        """The weekdays that it names, 0 being Monday."""
        return frozenset(number for _, _, number in weekdays(self._text))

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its amounts."""
        return read_quantities(self._text)

    @cached_property
    def digits(self) -> frozenset[str]:
        """Its runs of digits, without separators."""
        return digit_runs(self._text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words as `fold` gives them."""
        return frozenset(fold(word.text) for sentence in self._sentences for word in sentence)

    @cached_property
    def initials(self) -> str:
        """The first letters of the capitalised words of each sentence, in lower case, a line for each."""
        return "\n".join(
            "".join(fold(word.text)[:1] for word in sentence if word.text[0].isupper()) for sentence in self._sentences
        )

    def has(self, phrase: str) -> bool:
        """Tell whether a phrase, as `fold` gives it, stands in the text."""
        return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", self._folded) is not None

    @cached_property
    def _folded(self) -> str:
        return fold(self._text)

    @cached_property
    def _sentences(self) -> list[tuple[Word, ...]]:
        return [words_of(self._text[start:end]) for start, end in sentence_spans(self._text)]


def fold(text: str) -> str:
    """Give a text in lower case, without accents and the possessive ending."""
    plain = "".join(part for part in unicodedata.normalize("NFKD", text) if not unicodedata.combining(part))
    return plain.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").removesuffix("'s").removesuffix("'")
