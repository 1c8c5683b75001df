"""Says when an answer is in a script that a model for English doesn't know."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from groundwire.models.answer_units import UnitKind
from groundwire.models.scripts import is_latin, main_script
from groundwire.worker.scoring.words import has_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundwire.worker.scoring.case import Sentence


def foreign_scripts(sentences: Iterable[Sentence]) -> str | None:
    """Say how many of an answer's sentences are in another script than Latin, and in which.

    A sentence is if less than half of its letters are Latin. Headings and code don't count.

    Returns:
        Such as `3 of 4 sentences are not in Latin script (Han 2, Thai 1)`: numbers and names, no text; None if none is.
    """
    claims = [
        sentence.claim
        for sentence in sentences
        if sentence.kind in (UnitKind.SENTENCE, UnitKind.TABLE_ROW) and has_word(sentence.claim)
    ]
    found = Counter(main_script(claim) for claim in claims if not is_latin(claim))
    if not found:
        return None
    named = ", ".join(f"{name} {count}" for name, count in found.most_common())
    verb = "is" if found.total() == 1 else "are"
    noun = "sentence" if len(claims) == 1 else "sentences"
    return f"{found.total()} of {len(claims)} {noun} {verb} not in Latin script ({named})"
