"""In which order a model gives its three probabilities, by what it says itself and never by position."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from groundwire.models.head import LABELS
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = {
    "entailment": {"entailment", "entail", "entails", "entailed", "entailing"},
    "neutral": {"neutral"},
    "contradiction": {"contradiction", "contradict", "contradicts", "contradicted", "contradicting", "contradictory"},
}
"""What published NLI models call the three labels, beside capitals and punctuation."""

_PLACEHOLDER = re.compile(r"label_?\d+", re.ASCII | re.IGNORECASE)
_NO_LETTER = re.compile(r"[^a-z]+")


def columns_of(config: Mapping[str, Any], model: str) -> tuple[int, int, int]:
    """Give the columns of a model's logits that are entailment, neutral and contradiction.

    Args:
        config: The model's config.json.
        model: Its name, for errors.

    Raises:
        ModelError: `id2label` is missing, says nothing, or does not name each of the three labels once.
    """
    stated = config.get("id2label")
    advice = 'state them, as in "id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"}'
    if not isinstance(stated, dict) or not stated:
        raise ModelError(
            f"model {model}: its config.json has no id2label, so nobody knows what its columns mean; "
            f"look up the order of its labels where it was trained and {advice}"
        )
    names = {str(column): str(name) for column, name in stated.items()}
    shown = ", ".join(f"{column}: {name}" for column, name in names.items())
    if all(_PLACEHOLDER.fullmatch(name) for name in names.values()):
        raise ModelError(
            f"model {model}: the id2label of its config.json only has placeholders ({shown}); "
            f"look up the order of its labels where it was trained and {advice}"
        )
    if len(names) != len(LABELS):
        raise ModelError(
            f"model {model}: has {len(names)} label{'s' * (len(names) != 1)} ({shown}), and Groundwire needs the three "
            "of NLI: entailment, neutral, contradiction; use a three-way model, see `groundwire models list`"
        )
    meaning = {_meaning(name): column for column, name in names.items()}
    if set(meaning) != set(LABELS) or set(names) != {"0", "1", "2"}:
        raise ModelError(
            f"model {model}: its labels ({shown}) are not entailment, neutral and contradiction, once each as 0, 1 "
            "and 2; use an NLI model, or correct id2label in its config.json if it is one"
        )
    entailment, neutral, contradiction = (int(meaning[label]) for label in LABELS)
    return entailment, neutral, contradiction


def _meaning(name: str) -> str | None:
    plain = _NO_LETTER.sub("", name.casefold())
    return next((label for label, variants in NAMES.items() if plain in variants), None)
