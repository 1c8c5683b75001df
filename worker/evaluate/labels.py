"""A person's label of a row, in the spellings that labelled sets use."""

from __future__ import annotations

from groundwire.schemas.job import json_name, shown_name

SUPPORTED = (
    "supported",
    "true",
    "yes",
    "1",
    "entailment",
    "entailed",
    "attributable",
    "faithful",
    "grounded",
    "consistent",
)
"""Words for an answer that its context supports, in any case."""

UNSUPPORTED = (
    "unsupported",
    "not supported",
    "false",
    "no",
    "0",
    "neutral",
    "contradiction",
    "contradicted",
    "not attributable",
    "unfaithful",
    "ungrounded",
    "inconsistent",
    "hallucinated",
)
"""Words for one that it doesn't. What is between the two, such as "partially supported", is the user's to decide."""

_ADVICE = (
    "a label is true or false, 1 or 0, "
    f"or one of these words: {', '.join(SUPPORTED[:1] + SUPPORTED[4:])}; {', '.join(UNSUPPORTED[:2] + UNSUPPORTED[5:])}"
)


def read_label(value: object) -> bool:
    """Tell whether a label says that the answer is supported.

    Args:
        value: What the row's JSON has: true or false, 1 or 0, or a word. `_` and `-` in it count as a blank.

    Raises:
        ValueError: It is none of these. The message shows it only where it is a plain word, never a text.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return value == 1
    if isinstance(value, str):
        word = " ".join(value.replace("_", " ").replace("-", " ").split()).lower()
        if word in SUPPORTED:
            return True
        if word in UNSUPPORTED:
            return False
        shown = repr(value) if shown_name(value) == value else f"a string of {len(value)} characters"
        raise ValueError(f"is {shown}; {_ADVICE}")
    raise ValueError(f"is {value if isinstance(value, int | float) else json_name(value)}; {_ADVICE}")
