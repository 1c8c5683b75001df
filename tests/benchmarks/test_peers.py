"""The comparison with peers: its texts are as long as they claim, and its processes answer or say why not."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.models import build_embedded
from groundwire.models.embedded import CONFIG
from groundwire.models.pair_encoding import PairEncoder

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(__file__).parents[2] / "benchmarks"

CONTENDER = """
import sys
from peers.serving import serve
print("a package's own words")
serve({"double": lambda number: 2 * number, "fail": lambda: sys.exit("out of order")})
"""
COMMAND = (sys.executable, "-c", CONTENDER)


def peers(name: str) -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(f"peers.{name}")
    finally:
        sys.path.remove(str(FOLDER))


CREW: Any = peers("crew")
TEXTS: Any = peers("pair_texts")
RACE: Any = peers("pair_race")


@given(length=st.integers(14, 512), seed=st.integers(0, 1000))
def test_pairs_are_exactly_as_long_as_asked(length: int, seed: int) -> None:
    (pair,) = TEXTS.pair_texts(length, 1, seed)
    (row,) = ENCODER.rows([pair])
    assert len(row.ids) == length


ENCODER = PairEncoder(build_embedded().path_tokenizer, 512)


def test_pairs_are_new_with_each_seed_and_the_same_with_the_same_one() -> None:
    first, again, other = (TEXTS.pair_texts(64, 50, seed) for seed in (1, 1, 2))
    assert first == again
    assert len({*first, *other}) == 100


def test_processes_answer_in_the_order_of_the_commands(tmp_path: Path) -> None:
    with CREW.Crew(COMMAND, CREW.Layout(2, 1), tmp_path / "log") as crew:
        assert crew.ask([{"do": "double", "number": 1}, {"do": "double", "number": 2}]) == [2, 4]
        assert crew.deal([{"do": "double", "number": number} for number in range(9)]) == list(range(0, 18, 2))


@pytest.mark.parametrize("call", ["ask", "deal"])
def test_a_process_that_ends_says_why(tmp_path: Path, call: str) -> None:
    crew = CREW.Crew(COMMAND, CREW.Layout(1, 1), tmp_path / "log")
    with crew, pytest.raises(CREW.CrewError, match="out of order"):
        getattr(crew, call)([{"do": "fail"}])


def test_a_contender_that_does_not_start_is_left_out_with_its_reason(tmp_path: Path) -> None:
    broken = RACE.Contender("broken", "broken", (sys.executable, "-c", "raise SystemExit('no such model')"), (1,))
    figures = RACE.race([broken], RACE.Race((64,), (CREW.Layout(1, 1),), 0.1, 0.1, 1, tmp_path))
    assert figures.rates == {}
    assert "no such model" in figures.failures["broken"]


def test_an_environment_that_can_not_be_made_says_why(tmp_path: Path) -> None:
    environment: Any = peers("environment")
    taken = tmp_path / "file"
    taken.write_text("in the way")
    with pytest.raises(environment.PeersMissingError, match=r"\S"):
        environment.peers_python(taken)
    assert taken.read_text() == "in the way"


def test_operations_are_those_of_the_linear_layers() -> None:
    products: Any = peers("int8_rate")
    hidden, inner = CONFIG.hidden, CONFIG.intermediate
    layer = 4 * products.operations((64, hidden, hidden)) + 2 * products.operations((64, hidden, inner))
    assert products.linear_operations(64) == CONFIG.layers * layer
