"""Rules on what a sentence says, kept as data: the patterns in `data/*.toml`.

Each has a sentence that it takes and one that it must not. A pattern has to match a whole sentence as `normal` gives
it; `{name}` in a pattern stands for the slot of that name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.word_lists import load_table

MAX_CHARS = 240
"""Longer sentences say more than the rules are about, and would cost their patterns too much time."""

_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_SLOT = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what shows where it ends.

    Attributes:
        pattern: What a whole sentence has to look like, in its normal form; not compiled, as `any_of` does its work.
        takes: A sentence that it takes.
        leaves: A sentence much like it that no rule of the set may take.
    """

    pattern: str
    takes: str
    leaves: str


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules of a kind.

    Attributes:
        rules: The rules.
        any_of: All of their patterns in one, which is quicker to try.
    """

    rules: tuple[Rule, ...]
    any_of: re.Pattern[str]

    def takes(self, sentence: str) -> bool:
        """Tell whether one of the rules takes a sentence, as it stands in an answer."""
        return len(sentence) <= MAX_CHARS and self.any_of.fullmatch(normal(sentence)) is not None


def normal(sentence: str) -> str:
    """Give a sentence as patterns read it: clean, in lower case, with straight quotes, no end mark but `?` and `:`."""
    return clean(sentence).translate(_QUOTES).lower().strip(" .!\u2026\"'")


@cache
def load_rules(name: str) -> RuleSet:
    """Load the rules of `data/<name>.toml`."""
    content = load_table(name)
    slots: dict[str, str] = content.get("slots", {})

    def filled(pattern: str) -> str:
        while (expanded := _SLOT.sub(lambda slot: slots[slot[1]], pattern)) != pattern:
            pattern = expanded
        return pattern

    before = filled(content.get("before", ""))
    behind = filled(content.get("behind", ""))
    patterns = [filled(rule["pattern"]) for rule in content["rules"]]
    return RuleSet(
        rules=tuple(
            Rule(f"{before}(?:{pattern}){behind}", rule["takes"], rule["leaves"])
            for pattern, rule in zip(patterns, content["rules"], strict=True)
        ),
        any_of=re.compile(f"{before}(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)}){behind}"),
    )
