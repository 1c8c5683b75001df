from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from groundwire.models.label_order import columns_of
from groundwire.schemas.errors import ModelError


@pytest.mark.parametrize("order", list(permutations(["entailment", "neutral", "contradiction"])))
def test_columns_go_by_name_whatever_their_order(order: tuple[str, ...]) -> None:
    columns = columns_of({"id2label": {str(place): name for place, name in enumerate(order)}}, "m")
    assert [order[column] for column in columns] == ["entailment", "neutral", "contradiction"]


@pytest.mark.parametrize(
    "names",
    [
        ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"),
        ("Entailed", "Neutral", "Contradict"),
        ("entails", " neutral ", "contradicts"),
        ("1_entail", "2-neutral", "contradictory."),
    ],
)
def test_common_spellings_are_understood(names: tuple[str, ...]) -> None:
    assert columns_of({"id2label": {str(place): name for place, name in enumerate(names)}}, "m") == (0, 1, 2)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, r"model m: its config\.json has no id2label.* state them"),
        ({"id2label": {}}, "has no id2label"),
        ({"id2label": None}, "has no id2label"),
        ({"id2label": ["entailment", "neutral", "contradiction"]}, "has no id2label"),
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}, "only has placeholders"),
        (
            {"id2label": {"0": "entailment", "1": "not_entailment"}},
            r"has 2 labels \(0: entailment, 1: not_entailment\)",
        ),
        ({"id2label": {"0": "yes", "1": "no", "2": "maybe", "3": "none"}}, "has 4 labels"),
        ({"id2label": {"0": "score"}}, r"has 1 label \(0: score\)"),
        (
            {"id2label": {"0": "positive", "1": "neutral", "2": "negative"}},
            "are not entailment, neutral and contradict",
        ),
        ({"id2label": {"0": "entailment", "1": "entailed", "2": "neutral"}}, "once each"),
        ({"id2label": {"1": "entailment", "2": "neutral", "3": "contradiction"}}, "once each as 0, 1 and 2"),
        ({"id2label": {"0": "not_entailment", "1": "neutral", "2": "contradiction"}}, "are not entailment"),
    ],
)
def test_labels_that_do_not_say_what_they_mean_are_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        columns_of(config, "m")
