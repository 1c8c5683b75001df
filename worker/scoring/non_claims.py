"""What kinds of sentences claim nothing of the subject: abstentions, questions, and what is said around an answer.

The rules are data, see `rules.py`; a sentence with anything besides is a claim.
"""

from __future__ import annotations

import re

from groundwire.schemas import UnscoredReason
from groundwire.worker.scoring.rules import load_rules

_INNER_END = re.compile(r"(?<=[.!?:])\s+")


def is_abstention(sentence: str) -> bool:
    """Tell whether a sentence says nothing but that the question can't be answered."""
    return load_rules("abstention").takes(sentence)


def is_question(sentence: str) -> bool:
    """Tell whether a sentence asks, and states nothing beside."""
    return load_rules("question").takes(sentence)


def is_filler(sentence: str) -> bool:
    """Tell whether a sentence is a greeting, an offer, an announcement or the like; so may be each part of one."""
    filler = load_rules("filler")
    return filler.takes(sentence) or all(filler.takes(part) for part in _INNER_END.split(sentence.strip()))


def reason_of(sentence: str) -> UnscoredReason | None:
    """Say why a sentence, as it stands in an answer, claims nothing; None if it may claim something."""
    if is_abstention(sentence):
        return UnscoredReason.ABSTENTION
    if is_question(sentence):
        return UnscoredReason.QUESTION
    return UnscoredReason.FILLER if is_filler(sentence) else None
