from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.head import LABELS, read_head_record

if TYPE_CHECKING:
    from groundwire.models import NliEngine

    Labelled = list[tuple[tuple[str, str], str]]

WRONG_LABELS_ALLOWED = 5


def _scored(engine: NliEngine, labelled: Labelled) -> list[tuple[tuple[str, str], str, str]]:
    rows = engine.score([pair for pair, _ in labelled])
    return [(pair, label, LABELS[row.argmax()]) for (pair, label), row in zip(labelled, rows, strict=True)]


def test_labels_are_those_that_people_give(engine: NliEngine, labelled_pairs: Labelled) -> None:
    wrong = [pair for pair, expected, given in _scored(engine, labelled_pairs) if given != expected]
    assert len(wrong) <= WRONG_LABELS_ALLOWED, wrong


def test_no_entailment_is_taken_for_its_opposite_more_than_once(engine: NliEngine, labelled_pairs: Labelled) -> None:
    opposite = {"entailment": "contradiction", "contradiction": "entailment"}
    assert sum(opposite.get(expected) == given for _, expected, given in _scored(engine, labelled_pairs)) <= 1


def test_int8_and_fp32_agree(engine: NliEngine, exact_engine: NliEngine, labelled_pairs: Labelled) -> None:
    pairs = [pair for pair, _ in labelled_pairs]
    quantised, exact = engine.score(pairs), exact_engine.score(pairs)
    assert (quantised.argmax(axis=1) == exact.argmax(axis=1)).mean() >= 0.97
    assert np.abs(quantised - exact).max() < 0.12


def test_the_committed_head_was_measured_and_reaches_its_bars() -> None:
    record = read_head_record()
    assert record["accuracy"]["snli test"] >= 0.90
    assert record["accuracy"]["lexical"] >= 0.97
    assert record["int8_fp32_agreement"]["snli test"] >= 0.98
    assert record["provenance"]["encoder"]["sha256"]
    assert all(part["licence"] and part["source"] and part["pairs"] for part in record["provenance"]["fitted_on"])
