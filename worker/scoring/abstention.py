"""Recognises answers that claim nothing but that they can't answer.

Such an answer is neither faithful nor unfaithful. The rules are data (`data/abstentions.json`) and strict: a
sentence that also says something of the subject, or that states what the context does not hold, is a claim.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from groundwire.worker.scoring.cleaning import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CHARS = 240
"""Longer sentences say more than that they can't answer, and would cost the patterns too much time."""

_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_ENDS = " .!?\u2026\"'"
_SLOT = re.compile(r"\{([a-z]+)\}")


class _Patterns(NamedTuple):
    abstention: re.Pattern[str]
    filler: re.Pattern[str]


def is_abstention(sentence: str) -> bool:
    """Tell whether a sentence says nothing but that the question can't be answered."""
    return _matches(_patterns().abstention, sentence)


def is_whole_abstention(sentences: Iterable[str]) -> bool:
    """Tell whether an answer of these sentences claims nothing but that it can't answer.

    At least one sentence has to say so, and every other one has to be a courtesy, such as an apology or a request
    for more information.
    """
    abstains = False
    for sentence in sentences:
        if is_abstention(sentence):
            abstains = True
        elif not _matches(_patterns().filler, sentence):
            return False
    return abstains


def _matches(pattern: re.Pattern[str], sentence: str) -> bool:
    if len(sentence) > MAX_CHARS:
        return False
    return pattern.fullmatch(clean(sentence).translate(_QUOTES).lower().strip(_ENDS)) is not None


@cache
def _patterns() -> _Patterns:
    rules = json.loads(
        resources.files("groundwire.worker.scoring").joinpath("data/abstentions.json").read_text("utf-8")
    )
    slots: dict[str, str] = rules["slots"]

    def filled(pattern: str) -> str:
        while (expanded := _SLOT.sub(lambda slot: slots[slot[1]], pattern)) != pattern:
            pattern = expanded
        return pattern

    def any_of(patterns: list[str]) -> str:
        return "|".join(f"(?:{filled(pattern)})" for pattern in patterns)

    prefix = f"(?:{filled('{prefix}')})" + "{0,3}"
    return _Patterns(
        re.compile(f"{prefix}(?:{any_of(rules['abstentions'])})"),
        re.compile(f"{prefix}?(?:{any_of(rules['fillers'])})"),
    )
