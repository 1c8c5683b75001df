"""Every rule in the data, each with its own example and near miss."""

from __future__ import annotations

import re

import pytest

from groundwire.worker.scoring.rules import MAX_CHARS, Rule, load_rules, normal

SETS = ("abstention", "courtesy", "filler", "question")
RULES = [
    pytest.param(name, rule, id=f"{name}-{place}")
    for name in SETS
    for place, rule in enumerate(load_rules(name).rules, 1)
]


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_a_rule_takes_its_example_and_its_set_leaves_the_near_miss(name: str, rule: Rule) -> None:
    assert re.fullmatch(rule.pattern, normal(rule.takes))
    assert load_rules(name).takes(rule.takes)
    assert not load_rules(name).takes(rule.leaves)


@pytest.mark.parametrize("name", ["abstention", "filler", "question"])
@pytest.mark.parametrize(("_", "rule"), RULES)
def test_a_near_miss_is_a_claim_under_every_set(_: str, rule: Rule, name: str) -> None:
    assert not load_rules(name).takes(rule.leaves)


@pytest.mark.parametrize("name", SETS)
def test_long_sentences_are_left_alone(name: str) -> None:
    rule = load_rules(name).rules[0]
    assert not load_rules(name).takes(rule.takes + " " * MAX_CHARS + "x")


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "piece",
    ["the answer ", "in the provided context ", "sure, ", "so, ", "here is the ", "what ", "if you have, ", "i "],
)
def test_repetitive_sentences_end(name: str, piece: str) -> None:
    sentence = (piece * MAX_CHARS)[: MAX_CHARS - 2] + " x"
    assert load_rules(name).takes(sentence) is load_rules(name).takes(sentence.upper())
