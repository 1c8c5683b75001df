from __future__ import annotations

import logging
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.models.nli_engine import NliEngine
from groundwire.models.pair_cache import PairCache
from groundwire.schemas import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groundwire.models import ModelFiles

SHA256 = "ab" * 32
ONE, TWO, THREE = [("The mill grinds rye.", f"It grinds {what}.") for what in ("rye", "oats", "wheat")]

texts = st.text(st.characters(), max_size=3)
pairs = st.lists(st.tuples(texts, texts), max_size=8)


class Model:
    """Gives every pair numbers of its own, with all the digits that a float32 has, and keeps what it was asked."""

    def __init__(self, temperature: float = 1.0) -> None:
        self.asked: list[tuple[str, str]] = []
        self._temperature = temperature

    def __call__(self, new: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.asked += new
        rows = [np.random.default_rng([len(p), *map(ord, p + h)]).random(3) / self._temperature for p, h in new]
        return np.array(rows, np.float32).reshape(len(rows), 3)


@given(st.lists(st.tuples(pairs, st.sampled_from([1.0, 1.5])), max_size=6), st.integers(0, 5))
def test_with_and_without_a_cache_every_bit_is_the_same(
    calls: list[tuple[list[tuple[str, str]], float]], capacity: int
) -> None:
    cache = PairCache(capacity, SHA256)
    computed = 0
    for call, temperature in calls:
        model = Model(temperature)
        found = cache.answer(call, temperature, model)
        assert found.probabilities.tobytes() == Model(temperature)(call).tobytes()
        assert found.probabilities.shape == (len(call), 3)
        assert found.probabilities.dtype == np.float32
        assert found.remembered == len(call) - len(model.asked)
        assert len(cache) <= capacity
        computed += len(model.asked)
    assert cache.asked == sum(len(call) for call, _ in calls)
    assert cache.remembered == cache.asked - computed


def test_the_pair_that_was_asked_for_longest_ago_goes_first() -> None:
    cache, model = PairCache(2, SHA256), Model()
    for pair in (ONE, TWO, ONE, THREE, ONE, TWO):
        cache.answer([pair], 1.0, model)
    assert model.asked == [ONE, TWO, THREE, TWO]
    assert len(cache) == 2


def test_a_call_may_have_more_pairs_than_the_cache() -> None:
    cache, model = PairCache(1, SHA256), Model()
    assert cache.answer([ONE, TWO, ONE, THREE], 1.0, model).remembered == 1
    assert cache.answer([THREE, ONE], 1.0, model).remembered == 1
    assert model.asked == [ONE, TWO, THREE, ONE]


def test_what_runs_together_to_the_same_text_is_another_pair() -> None:
    cache, model = PairCache(10, SHA256), Model()
    different = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("c", "ab"), ("ab\ud800", "c"), ("ab\ufffd", "c")]
    assert cache.answer(different, 1.0, model).remembered == 0
    assert model.asked == different


def test_another_temperature_asks_again() -> None:
    cache, model = PairCache(10, SHA256), Model()
    assert [cache.answer([ONE], temperature, model).remembered for temperature in (1.0, 1.5, 1.0)] == [0, 0, 1]


def test_no_text_is_kept_or_logged(caplog: pytest.LogCaptureFixture) -> None:
    cache = PairCache(10, SHA256)
    with caplog.at_level(logging.DEBUG):
        cache.answer([("The QUOKKA sleeps.", "A QUOKKA rests.")], 1.0, Model())
    assert b"QUOKKA" not in pickle.dumps(cache)
    assert "pair cache: 0 of 1 pairs remembered" in caplog.text
    assert "QUOKKA" not in caplog.text


def test_a_negative_capacity_is_refused() -> None:
    with pytest.raises(SettingsError, match="-1"):
        PairCache(-1, SHA256)


def test_an_engine_that_remembers_gives_the_same_numbers_and_reads_nothing_twice(
    embedded_files: ModelFiles, engine: NliEngine
) -> None:
    remembering = NliEngine.load(embedded_files, threads=1, remembered_pairs=10)
    assert remembering.answer([ONE, TWO], 1.5).remembered == 0
    read = remembering.tokens
    again = remembering.answer([TWO, ONE], 1.5)
    assert again.remembered == 2
    assert remembering.tokens == read > 0
    assert again.probabilities[::-1].tobytes() == engine.score([ONE, TWO], 1.5).tobytes()
    assert remembering.answer([ONE, THREE], 1.5).remembered == 1


def test_an_engine_remembers_nothing_unless_it_is_told_to(engine: NliEngine) -> None:
    assert [engine.answer([ONE, ONE]).remembered for _ in range(2)] == [0, 0]
