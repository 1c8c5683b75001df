"""Reads a sentence of the context as a claim about it would write it, where a model of inference stumbles over form.

Three things are alike for a reader and not for the model: `1,250` and `1250`; `lr=0.01` and a learning rate of 0.01;
and a note without a subject, such as `Seven years as a welder.` in a curriculum vitae, and a sentence about `the
candidate`. A sentence that has none of them is left as it is. No word is added but the claim's own, and none that says
anything of its subject, so the claim's predicate has to come from the context.
"""

from __future__ import annotations

import re

from groundwire.worker.scoring.alignment import stem, words_of

MAX_NOTE_WORDS = 15
"""Longer sentences without a subject are rare, and those that look like it have one."""

LEAST_NOTE_WORDS = 3
"""`Yes.` notes nothing, and `Birds sing.` has a subject."""

MAX_INITIALS = 4
"""Words that a name of so many letters stands for; longer ones are words themselves."""

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*\d(?:\.\d+)?(?!\w|[.,]\d)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ARGUMENT = re.compile(rf"(?<![\w.])[A-Za-z]{{2,{MAX_INITIALS}}}(?=\s?=(?!=))")

_SUBJECT = re.compile(
    r"The ([a-z]{3,}) (?:is|are|was|were|has|had|have|will|can|could|may|might|must|should|would|does|did|"
    r"[a-z]+(?:[^s\W]s|ed)) "
)
"""A definite subject of one word, up to its verb."""

_NO_NOTE = re.compile(
    r"^(?:the|an?|this|that|these|those|it|he|she|they|we|i|you|his|her|its|their|our|my|your|there|here|"
    r"in|on|at|by|from|for|with|as|to|of|if|when|while|after|before|since|because|although|but|and|or|so|"
    r"what|who|which|how|why|where|some|many|most|all|each|every|no|not|both|people|children|men|women)\b"
    r"|.\s(?:is|are|was|were|am|be|been|has|have|had|will|would|can|could|may|might|must|shall|should|does|do|did|"
    r"isn't|aren't|wasn't|weren't|hasn't|haven't|hadn't|won't|can't|don't|doesn't|didn't|"
    r"it|he|she|they|we|i|you)\b"
    r"|[:?|>=]",
    re.IGNORECASE,
)
"""What shows that a sentence has a subject of its own or is none: how it begins, an auxiliary or a pronoun in it, or
a mark of a heading, a question, a table or code."""

_COUNT = re.compile(r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several)\b", re.IGNORECASE)
_SUBJECT_AND_VERB = re.compile(
    r"\S*[^s\W]s (?!(?:an?|the|his|her|their|its|with|as|\d+) )|"  # a plural; a verb has an object behind it
    r"\S+ (?:[A-Z]|[a-z]+(?:[^s\W]s|ed)\b|(?:became|began|bought|brought|built|came|fell|found|gave|got|grew|held|kept|"
    r"knew|led|left|lost|made|met|paid|put|ran|rose|said|saw|sent|set|sold|taught|told|took|went|won|wrote)\b)"
)
"""A word before a verb or another capital: the first word is the subject, or part of a name."""

_VERB = re.compile(
    r"(?:has|brings|develops|enjoys|gives|holds|keeps|knows|learns|maintains|manages|owns|prefers|provides|requires|"
    r"serves|speaks|suffers|teaches|understands|wears|writes) ",
    re.IGNORECASE,
)
"""Verbs that are no plural of a noun, whatever is behind them: `Has led a team.`, `Writes Rust daily.`"""


def in_words_of(claim: str, sentence: str, around: str) -> str:
    """Give a sentence of the context as it is read beside a claim.

    Args:
        claim: A sentence of the answer, cleaned.
        sentence: What the models read of the context's sentence.
        around: The whole text that it stands in.
    """
    text = _ARGUMENT.sub(lambda name: _spelt_out(name[0], claim), sentence) if "=" in sentence else sentence
    return _subject_for(claim, text, around) + _NUMBER.sub(lambda number: _as_in(claim, number[0]), text)


def _as_in(claim: str, number: str) -> str:
    """Give a number with or without separators of thousands, as the claim has it."""
    same = [mine for mine in _NUMBER.findall(claim) if _value(mine) == _value(number)]
    return number if not same or number in same else same[0]


def _value(number: str) -> str:
    """Give a number without its separators of thousands; a list such as `3,4,5` stays one."""
    return number.replace(",", "") if _THOUSANDS.fullmatch(number) else number


def _spelt_out(name: str, claim: str) -> str:
    """Give the words of the claim that an argument's name is the initials of, or the name."""
    words = [word.text for word in words_of(claim)]
    initials = "".join(word[0] for word in words).lower()
    place = initials.find(name.lower())
    return " ".join(words[place : place + len(name)]) if place >= 0 else name


def _subject_for(claim: str, sentence: str, around: str) -> str:
    """Give the subject of the claim and a colon, for a note that has none; else nothing."""
    subject = _SUBJECT.match(claim)
    if subject is None or not _is_note(sentence):
        return ""
    noun = subject[1]
    if stem(noun) in map(stem, _WORD.findall(around)):
        return ""
    content = {word.key for word in words_of(claim) if word.has_content}
    return f"The {noun}: " if any(word.key in content for word in words_of(sentence)) else ""


def _is_note(sentence: str) -> bool:
    """Tell whether a sentence has no subject, as notes and lists of properties have none."""
    if (
        not LEAST_NOTE_WORDS <= len(sentence.split()) <= MAX_NOTE_WORDS
        or not sentence[:1].isupper()
        or _NO_NOTE.search(sentence)
    ):
        return False
    begins_a_note = _COUNT.match(sentence) or _VERB.match(sentence)
    return begins_a_note is not None or _SUBJECT_AND_VERB.match(sentence) is None
