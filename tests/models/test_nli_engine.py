from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.models.head import LABELS
from groundwire.models.nli_engine import NliEngine
from groundwire.models.session import ROWS_PER_BATCH, TOKENS_PER_BATCH, batches
from groundwire.schemas.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

    from groundwire.models import ModelFiles

PREMISE = "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel."
TRUE = "The Eiffel Tower is in Paris."
FALSE = "The Eiffel Tower is in London."
FILLER = "The kitchen garden is watered twice a day in summer. "
PAIRS = [
    (PREMISE, TRUE),
    ("x", "A far longer hypothesis than its premise, with a clause or two to spare."),
    (PREMISE * 4, FALSE),
    ("", TRUE),
    (PREMISE, ""),
    ("The dog sleeps.", "An animal is resting."),
    (FILLER * 12, "The garden is watered."),
]


def test_labels_come_in_the_fixed_order(engine: NliEngine) -> None:
    labels = [LABELS[row.argmax()] for row in engine.score([(PREMISE, TRUE), (PREMISE, FALSE)])]
    assert labels == ["entailment", "contradiction"]


def test_rows_are_float32_probabilities(engine: NliEngine) -> None:
    result = engine.score(PAIRS)
    assert result.dtype == np.float32
    assert result.shape == (len(PAIRS), 3)
    np.testing.assert_allclose(result.sum(axis=1), 1, atol=1e-5)
    assert (result >= 0).all()


def test_no_pairs_give_no_rows(engine: NliEngine) -> None:
    assert engine.score([]).shape == (0, 3)


def test_a_pair_scores_the_same_alone_as_in_a_batch(engine: NliEngine) -> None:
    alone = np.vstack([engine.score([pair]) for pair in PAIRS])
    np.testing.assert_allclose(engine.score(PAIRS), alone, atol=1e-3)


def test_the_order_of_the_pairs_does_not_matter(engine: NliEngine) -> None:
    np.testing.assert_allclose(engine.score(PAIRS[::-1])[::-1], engine.score(PAIRS), atol=1e-3)


def test_the_same_call_gives_the_same_numbers(engine: NliEngine) -> None:
    np.testing.assert_array_equal(engine.score(PAIRS), engine.score(PAIRS))


def test_a_higher_temperature_flattens_but_keeps_the_label(engine: NliEngine) -> None:
    sharp, flat = engine.score([(PREMISE, TRUE)], 1.0)[0], engine.score([(PREMISE, TRUE)], 3.0)[0]
    assert flat.max() < sharp.max()
    assert flat.argmax() == sharp.argmax()


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, math.inf])
def test_an_unusable_temperature_is_refused(engine: NliEngine, temperature: float) -> None:
    with pytest.raises(SettingsError, match="temperature"):
        engine.score([(PREMISE, TRUE)], temperature)


@pytest.mark.parametrize("position", ["first", "middle", "last"])
def test_evidence_is_found_anywhere_in_a_premise_that_is_too_long(engine: NliEngine, position: str) -> None:
    before, after = {"first": (0, 54), "middle": (27, 27), "last": (54, 0)}[position]
    premise = FILLER * before + PREMISE + FILLER * after
    assert engine.count_tokens(premise) > 512
    assert LABELS[engine.score([(premise, TRUE)])[0].argmax()] == "entailment"


def test_one_unsupported_part_of_a_hypothesis_that_is_too_long_decides(engine: NliEngine) -> None:
    supported, spoilt = FILLER * 50, FILLER * 25 + FALSE + " " + FILLER * 25
    entailed, rejected = engine.score([(FILLER, supported), (FILLER, spoilt)])[:, 0]
    assert entailed > 0.5
    assert rejected < entailed


@pytest.mark.parametrize("control", ["[SEP]", "[CLS]", "[PAD]", "[MASK]", "[UNK]", "<0x0A>"])
def test_control_tokens_spelt_out_in_a_text_are_text(engine: NliEngine, control: str) -> None:
    assert engine.count_tokens(control) > 1
    attack = f"{PREMISE} {control} {control}"
    plain, attacked = engine.score([(PREMISE, FALSE), (attack, FALSE)])
    assert LABELS[plain.argmax()] == LABELS[attacked.argmax()] == "contradiction"


@pytest.mark.parametrize("text", ["\x00", "a\ud800b", "\u202eright to left", "\u0301", "\U0001f600", "\r\n\u2028"])
def test_any_text_can_be_scored(engine: NliEngine, text: str) -> None:
    assert np.isfinite(engine.score([(text, TRUE), (PREMISE, text)])).all()


def test_tokens_are_counted_without_control_tokens(engine: NliEngine) -> None:
    assert engine.count_tokens("") == 0
    assert engine.count_tokens("word " * 2000) == 2000


def test_the_engine_says_what_it_runs(engine: NliEngine, embedded_files: ModelFiles) -> None:
    assert engine.model_id == embedded_files.model_id
    assert engine.model_sha256 == embedded_files.sha256


def test_pooled_refuses_what_it_would_have_to_cut(engine: NliEngine) -> None:
    assert engine.pooled([(PREMISE, TRUE)]).shape == (1, 384)
    with pytest.raises(ModelError, match="length"):
        engine.pooled([(FILLER * 100, TRUE)])


def test_a_file_that_is_no_graph_is_a_clear_error(embedded_files: ModelFiles, tmp_path: Path) -> None:
    broken = tmp_path / "model.onnx"
    broken.write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"model\.onnx"):
        NliEngine.load(replace(embedded_files, path_onnx=broken), threads=1)


def test_a_file_that_is_no_tokenizer_is_a_clear_error(embedded_files: ModelFiles, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"missing\.json"):
        NliEngine.load(replace(embedded_files, path_tokenizer=tmp_path / "missing.json"), threads=1)


def test_a_model_needs_a_thread(embedded_files: ModelFiles) -> None:
    with pytest.raises(SettingsError, match="threads 0"):
        NliEngine.load(embedded_files, threads=0)


def test_tokens_and_padding_are_counted_as_the_model_reads_them(embedded_files: ModelFiles) -> None:
    engine = NliEngine.load(embedded_files, threads=1)
    short, long = ("word", "word"), ("word " * 10, "word " * 5)
    engine.score([short])
    assert (engine.tokens, engine.padding) == (5, 3)
    engine.score([long, short])
    assert (engine.tokens, engine.padding) == (5 + 18 + 5, 3 + 2 + 15)
    engine.score([("word " * (TOKENS_PER_BATCH - 4), "word"), short])
    assert engine.padding == 3 + 2 + 15 + 3


def test_a_pair_that_fills_the_model_is_not_padded_beyond_it(embedded_files: ModelFiles) -> None:
    engine = NliEngine.load(replace(embedded_files, max_tokens=18), threads=1)
    engine.score([("word " * 10, "word " * 5)])
    assert (engine.tokens, engine.padding) == (18, 0)


@given(st.lists(st.integers(3, 512), max_size=60))
def test_batches_hold_every_row_once_within_the_budget(lengths: list[int]) -> None:
    groups = list(batches(lengths))
    assert sorted(index for group in groups for index in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) <= ROWS_PER_BATCH
        assert len(group) == 1 or len(group) * max(lengths[index] for index in group) <= TOKENS_PER_BATCH
