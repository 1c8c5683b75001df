"""Finds where a claim says the opposite of what its evidence says in nearly the same words."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from groundwire.schemas.names import DiscrepancyKind
from groundwire.worker.scoring.discrepancy import Discrepancy
from groundwire.worker.scoring.quantity_words import one_of
from groundwire.worker.scoring.word_lists import load_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.alignment import Alignment, Word

MIN_SHARED = 0.65
"""Share of the claim's content words that a sentence must have before what it denies is held against the claim."""

MIN_STEM = 4
"""Words of fewer letters behind `un` or `in` are mostly no words of their own."""

REACH = 4
"""So many words behind a negation its predicate may begin."""


def negation_discrepancy(claim: str, evidence: str, alignments: Sequence[Alignment]) -> Discrepancy | None:
    """Find a point in which a claim says the opposite of a sentence of its evidence.

    Args:
        claim: The sentence.
        evidence: What it is held against.
        alignments: The claim beside each sentence of the evidence.
    """
    if any(_says_the_same(claim, evidence, alignment) for alignment in alignments):
        return None
    for alignment in alignments:
        if alignment.shared < MIN_SHARED:
            continue
        found = _denied(claim, evidence, alignment) or _opposite(claim, evidence, alignment)
        if found:
            return found
    return None


def _says_the_same(claim: str, evidence: str, alignment: Alignment) -> bool:
    """Tell whether a sentence holds every word of the claim in order, and denies as much as it does."""
    return len(alignment.pairs) == len(alignment.claim) and len(_cues(claim, alignment.claim)) == len(
        _cues(evidence, alignment.sentence)
    )


def _denied(claim: str, evidence: str, alignment: Alignment) -> Discrepancy | None:
    """Find a predicate that one side denies and the other, which denies nothing, does not."""
    mine = _cues(claim, alignment.claim)
    theirs = _cues(evidence, alignment.sentence)
    silent = alignment.sentence if mine else alignment.claim
    if bool(mine) == bool(theirs) or _has(silent, "weak") or _has(silent, "contrasts"):
        return None
    if _has(alignment.claim, "limits") or _has(alignment.sentence, "limits"):
        return None
    places = dict(alignment.pairs)
    if mine:
        for cue in mine:
            if cue.head in places:
                head = alignment.sentence[places[cue.head]]
                return _at_odds(claim[cue.start : alignment.claim[cue.head].end], evidence[head.start : head.end])
        return None
    back = {theirs_place: mine_place for mine_place, theirs_place in alignment.pairs}
    for cue in theirs:
        if cue.head in back:
            head = alignment.claim[back[cue.head]]
            return _at_odds(claim[head.start : head.end], evidence[cue.start : alignment.sentence[cue.head].end])
    return None


def _opposite(claim: str, evidence: str, alignment: Alignment) -> Discrepancy | None:
    """Find a word in whose place the evidence has its opposite."""
    if len(_cues(claim, alignment.claim)) != len(_cues(evidence, alignment.sentence)):
        return None  # "not closed" is no opposite of "open"
    said = {word.key for word in alignment.sentence}
    for substitution in alignment.substitutions:
        if not substitution.is_close:
            continue
        for one in substitution.claimed:
            for two in substitution.found:
                if one.key not in said and are_opposites(one.text, two.text):
                    return _at_odds(one.text, two.text)
    return None


def _at_odds(claimed: str, found: str) -> Discrepancy:
    return Discrepancy(DiscrepancyKind.NEGATION, claimed, found)


class _Cue(NamedTuple):
    """A word that denies.

    Attributes:
        start: Where it begins in the text.
        head: The place, among the words, of what it denies.
    """

    start: int
    head: int


def _cues(text: str, words: Sequence[Word]) -> list[_Cue]:
    """Give what denies something among these words of a text."""
    if not words:
        return []
    found: list[_Cue] = []
    for match in _cue_pattern().finditer(text, words[0].start, words[-1].end):
        if match["cue"]:
            behind = [place for place, word in enumerate(words) if word.start >= match.end()][:REACH]
            head = next((place for place in behind if words[place].has_content), -1)
            found.append(_Cue(match.start(), head))
    return found


@cache
def _cue_pattern() -> re.Pattern[str]:
    content = load_table("opposites")
    harmless, cues = one_of(content["harmless"]), one_of(content["cues"])
    text = rf"\b(?:(?:{harmless})(?!\w)|(?P<cue>{cues})(?!\w))"
    return re.compile(text.replace("'", r"\s?['\u2019]\s?"), re.IGNORECASE)


def _has(words: Sequence[Word], kind: str) -> bool:
    """Tell whether one of these words is in a list of the table."""
    listed: list[str] = load_table("opposites")[kind]
    return any(word.text.lower() in listed for word in words)


@cache
def _scales() -> dict[str, list[tuple[int, int]]]:
    """Give the scale and the side of every word."""
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for scale, sides in enumerate(load_table("opposites")["scales"]):
        for side, words in enumerate(sides):
            for word in words:
                places[word].append((scale, side))
    return dict(places)


def are_opposites(one: str, two: str) -> bool:
    """Tell whether two words exclude one another."""
    one, two = one.lower(), two.lower()
    scales = _scales()
    mine = dict(scales.get(one, []))
    if any(scale in mine and mine[scale] != side for scale, side in scales.get(two, [])):
        return True
    content = load_table("opposites")
    short, long = sorted((one, two), key=len)
    return (
        len(short) >= MIN_STEM
        and short not in content["unlike"]
        and any(long == prefix + short for prefix in content["prefixes"])
    )
