"""Recognises answers that claim nothing but that they can't answer.

Such an answer is neither faithful nor unfaithful. The rules are strict: a sentence that also says something of the
subject, or that states what the context does not hold, is a claim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.non_claims import is_abstention, is_filler, is_question
from groundwire.worker.scoring.rules import load_rules
from groundwire.worker.scoring.words import has_word

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_whole_abstention(sentences: Iterable[str]) -> bool:
    """Tell whether an answer of these sentences claims nothing but that it can't answer.

    At least one sentence has to say so. Every other one has to be a question, filler, or a courtesy such as an apology
    or a request for more information; what has no word at all says nothing.
    """
    abstains = False
    for sentence in sentences:
        if is_abstention(sentence):
            abstains = True
        elif not _claims_nothing(sentence):
            return False
    return abstains


def _claims_nothing(sentence: str) -> bool:
    return (
        load_rules("courtesy").takes(sentence)
        or is_question(sentence)
        or is_filler(sentence)
        or not has_word(clean(sentence))
    )
