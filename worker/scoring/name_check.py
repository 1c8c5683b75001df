"""Finds a name of a claim in whose place its evidence has another name."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING

from groundwire.schemas.names import DiscrepancyKind
from groundwire.worker.scoring.alignment import function_words
from groundwire.worker.scoring.discrepancy import Discrepancy
from groundwire.worker.scoring.reading import Reading, fold
from groundwire.worker.scoring.word_lists import load_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.alignment import Alignment, Word

MIN_SHARED = 0.5
"""Share of the claim's content words that a sentence must have before another name in it is held against the claim."""

SAME_SPELLING = 0.7
"""Names that are so alike, as a share of their letters, are one name spelt in two ways."""


def name_discrepancy(
    claim: str, evidence: str, wider: Sequence[Reading], alignments: Sequence[Alignment]
) -> Discrepancy | None:
    """Find a name of a claim that its evidence and the rest of the context lack, where the evidence has another one.

    Args:
        claim: The sentence.
        evidence: What it is held against.
        wider: The texts of the context, which can account for a name but not refute one.
        alignments: The claim beside each sentence of the evidence.
    """
    everywhere = [Reading(evidence), *wider]
    for alignment in alignments:
        if alignment.shared < MIN_SHARED:
            continue
        for substitution in alignment.substitutions:
            mine, theirs = substitution.claimed, substitution.found
            if not substitution.is_close or len(mine) != len(theirs):
                continue
            if not all(_is_name(word, alignment.claim) for word in mine):
                continue
            if not all(_is_name(word, alignment.sentence) for word in theirs):
                continue
            if all(is_known(word.text, everywhere) for word in mine) or _are_one(mine, theirs):
                continue
            return Discrepancy(
                DiscrepancyKind.NAME,
                claim[mine[0].start : mine[-1].end],
                evidence[theirs[0].start : theirs[-1].end],
            )
    return None


def is_known(name: str, texts: Sequence[Reading]) -> bool:
    """Tell whether any of several texts has a name in some form.

    It may have other accents there, name the people of a place, be initials, or be spelt a little otherwise.
    """
    names = {fold(form) for form in _forms(name)}
    if any(form in text.words if form.isalpha() else text.has(form) for text in texts for form in names):
        return True
    if name.isupper() and len(name) > 1 and any(fold(name) in text.initials for text in texts):
        return True
    return not name.isupper() and any(_spelt_alike(fold(name), word) for text in texts for word in text.words)


def _is_name(word: Word, sentence: Sequence[Word]) -> bool:
    """Tell whether a word is written as a name within a sentence; the first word has a capital in any case."""
    if not word.text[0].isupper() or word.key in function_words() or fold(word.text) in _titles():
        return False
    return word is not sentence[0] or word.text.isupper()


def _are_one(mine: Sequence[Word], theirs: Sequence[Word]) -> bool:
    return all(_same(one.text, two.text) for one, two in zip(mine, theirs, strict=True))


def _same(one: str, two: str) -> bool:
    """Tell whether two names are one: by other forms, as an initial, or by their spelling."""
    if {fold(form) for form in _forms(one)} & {fold(form) for form in _forms(two)}:
        return True
    short, long = sorted((fold(one), fold(two)), key=len)
    return long.startswith(short) or (not (one.isupper() and two.isupper()) and _spelt_alike(short, long))


def _spelt_alike(one: str, two: str) -> bool:
    if not one or not two or one[0] != two[0] or abs(len(one) - len(two)) > 3:  # noqa: PLR2004  # no spelling of one name differs by more
        return False
    return SequenceMatcher(None, one, two, autojunk=False).ratio() >= SAME_SPELLING


@cache
def _aliases() -> dict[str, set[str]]:
    table: dict[str, set[str]] = {}
    for listed in load_table("names")["same"]:
        names = {fold(name) for name in listed}
        for name in names:
            table.setdefault(name, set()).update(names)
    return table


def _forms(name: str) -> set[str]:
    return {name} | _aliases().get(fold(name), set())


@cache
def _titles() -> frozenset[str]:
    return frozenset(load_table("names")["titles"])
