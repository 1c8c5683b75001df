"""Whether an end mark ends a sentence, or belongs to an abbreviation, an initial or a quotation inside one."""

from __future__ import annotations

import re

from groundwire.models.citation_marks import BEHIND_END
from groundwire.models.sentences import CLOSERS, END_MARKS


def word_set(text: str) -> frozenset[str]:
    """Give the words of a list that is written as text."""
    return frozenset(text.split())


NEVER_LAST = word_set(
    """
    mr mrs ms messrs mme mlle dr prof gen col lt sgt capt cpt cmdr maj rev hon sen rep gov pres supt insp
    e.g i.e eg ie cf viz approx excl incl esp resp vs ca z.b d.h u.a bzw ggf vgl p.ex
    """
)
"""Abbreviations that something always follows."""

BEFORE_NUMBERS = word_set(
    """
    no nos nr num fig figs sec art par ch vol p pp eq eqs ed mar jun sat sun min max est tel ext
    """
)
"""Abbreviations before a number; with anything else behind them they are words that may end a sentence."""

SOMETIMES_LAST = word_set(
    """
    inc ltd co corp llc plc gmbh jr sr sra esq al etc dept univ assn bros st ave blvd rd mt ft
    jan feb apr jul aug sep sept oct nov dec mon tue wed thu fri bn mn hrs hr mins lbs oz tr usw sog
    """
)
"""Abbreviations that may end a sentence as well as stand inside one; the word behind them decides."""

SENTENCE_STARTERS = word_set(
    """
    a after all also although an and another any as at because before both but by each every for from further he her
    here his how however i if in it its many moreover most my no not of on once one or our she since so some such than
    that the their then there these they this those though thus to today under until we what when where whether which
    while who why with yet you your
    """
)
"""Words in capitals behind an abbreviation or initial that begin a sentence rather than go on with a name."""

GERMAN_MONTHS = word_set("januar februar m\u00e4rz april mai juni juli august september oktober november dezember")
"""Behind a number with a full stop they are a date: the full stop makes an ordinal in German."""

CANDIDATE = re.compile(rf"(?<![{END_MARKS}])[{END_MARKS}]++[{re.escape(CLOSERS)}]*+{BEHIND_END}*+(?=\s|\Z)")
"""Where a sentence may end: end marks, what belongs to them, and white space.

Possessive and with a look-behind, so that a long run of dots takes linear time.
"""

_LONGEST_WORD = 24
"""Characters before an end mark that are looked at: enough for every abbreviation."""

_LONGEST_ADDRESS = 300
"""Likewise, for addresses on the web and of mail."""

_OPENERS = "\"'\u201c\u2018\u201e\u00ab([{\u00bf\u00a1*_"
_NEXT_WORD = re.compile(r"([^\W\d_][\w'\u2019-]*)(\.?)")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
_SHORT_NUMBER = 2


_PLAIN_WORD = re.compile(r"\b(?:[a-z]{3,}|[A-Z][a-z]{5,})\Z")
"""A word that is too long for an abbreviation which the lists above miss: `Chas.` and `Sergt.` are shorter."""


def ends_sentence(text: str, candidate: re.Match[str], block_end: int, *, cased: bool) -> bool:
    """Tell whether the end marks that were found end a sentence.

    Args:
        text: The whole text.
        candidate: A match of CANDIDATE in it.
        block_end: Where the block ends that the match lies in; a sentence ends there in any case.
        cased: Whether the block tells capitals from small letters. Where it does, a small letter goes on with a
            sentence; in a text without any capital it says nothing.
    """
    following = candidate.end()
    while following < block_end and (text[following].isspace() or text[following] in _OPENERS):
        following += 1
    if following >= block_end:
        return True
    word = _NEXT_WORD.match(text, following, block_end)
    if cased and word and word[1].islower():
        return False
    start = candidate.start()
    is_full_stop = text[start] == "." and text[start + 1 : start + 2] not in tuple(END_MARKS)
    return not (is_full_stop and _is_abbreviation(text, start, following, word))


def is_certain(text: str, candidate: re.Match[str], following: int, block_end: int) -> bool:
    """Tell whether a sentence ends for sure where `ends_sentence` says so, whatever a parser says.

    Parsers take the full stop behind an address for a part of it, and go on behind an ellipsis. They agree where a
    full stop stands between a plain word and a capital, as most do: spaCy's did at all 795 such places of 527 answers
    and contexts.

    Args:
        text: The whole text.
        candidate: A match of CANDIDATE in it.
        following: Where the text goes on behind white space.
        block_end: As for `ends_sentence`.
    """
    before = text[max(0, candidate.start() - _LONGEST_ADDRESS) : candidate.start()].split()
    if before and ("://" in before[-1] or "@" in before[-1]):
        return True
    word = _NEXT_WORD.match(text, following, block_end)
    if word is None or not word[1][0].isupper():
        return False
    if text[candidate.start()] == "\u2026" or text.startswith("...", candidate.start()):
        return word[1].lower() in SENTENCE_STARTERS
    return candidate[0] == "." and bool(before) and _PLAIN_WORD.search(before[-1]) is not None


def _is_abbreviation(text: str, stop: int, following: int, next_word: re.Match[str] | None) -> bool:
    """Tell whether the full stop at `stop` belongs to an abbreviation or a number that the sentence goes on behind."""
    before = text[max(0, stop - _LONGEST_WORD) : stop]
    if not before or before[-1].isspace():
        return False
    last = before.split()[-1].lstrip(_OPENERS)
    word = last.lower()
    if word in NEVER_LAST:
        return True
    if text[following].isdigit() and word in BEFORE_NUMBERS:
        return True
    starts_with_name = next_word is None or bool(next_word[2]) or next_word[1].lower() not in SENTENCE_STARTERS
    if word in SOMETIMES_LAST or (len(word) == 1 and word.isalpha()) or _DOTTED.fullmatch(word):
        return starts_with_name
    if not (word.isdigit() and len(word) <= _SHORT_NUMBER):
        return False
    is_item = before[: -len(last)].rstrip().endswith(":")
    return is_item or (next_word is not None and next_word[1].lower() in GERMAN_MONTHS)
