from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.quantities import Quantity, read_quantities


def only(text: str) -> Quantity:
    found = [quantity for quantity in read_quantities(text) if quantity.plain]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("38", 38),
        ("1,234", 1234),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1.234.567", 1234567),
        ("12'500", 12500),
        ("10 000 people", 10000),
        ("10\N{NO-BREAK SPACE}000 people", 10000),
        ("1 , 197 , 816", 1197816),
        ("0.5", 0.5),
        (".5 litres", 0.5),
        ("3½ cups", 3.5),
        ("1/2 cup", 0.5),
        ("3.4 million", 3.4e6),
        ("$3bn", 3e9),
        ("€5m", 5e6),
        ("5k", 5000),
        ("twelve", 12),
        ("twenty-five", 25),
        ("a hundred and two", 102),
        ("three hundred thousand", 300000),
        ("one million two hundred thousand", 1.2e6),
        ("two dozen", 24),
        ("a dozen", 12),
        ("half a million", 500000),
        ("two thirds", 2 / 3),
        ("three-quarters", 0.75),
        ("a third", 1 / 3),
        ("21st", 21),
        ("twenty-first", 21),
        ("1990s", 1990),
    ],
)
def test_ways_to_write_a_number(text: str, value: float) -> None:
    assert only(text).values[0] == pytest.approx(value)


def test_a_point_before_three_digits_can_be_read_in_two_ways() -> None:
    assert set(only("1.234").values) == {1.234, 1234}


@pytest.mark.parametrize("text", ["B-52", "A380", "COVID-19", "mp3", "thousands of people", "a member", "9" * 400])
def test_names_vague_words_and_keys_are_no_amounts(text: str) -> None:
    assert [quantity for quantity in read_quantities(text) if quantity.plain] == []


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("5 km", "kilometre"),
        ("5km", "kilometre"),
        ("5-mile walk", "mile"),
        ("$5", "dollar"),
        ("US$ 5", "dollar"),
        ("5 million euros", "euro"),
        ("5%", "percent"),
        ("5 per cent", "percent"),
        ("5 percentage points", "percentage point"),
        ("two-year contract", "year"),
        ("5 MW", "megawatt"),
        ("5 square miles", "square mile"),
        ("68 °F", "degree Fahrenheit"),
    ],
)
def test_units_stand_before_or_behind(text: str, unit: str) -> None:
    found = only(text).unit
    assert found is not None
    assert found.id == unit


@pytest.mark.parametrize(("text", "units"), [("5 pounds", {"pound", "pound of mass"}), ("5 m", {None, "metre"})])
def test_what_can_be_two_units_is_read_as_both_and_held_against_nothing(text: str, units: set[str | None]) -> None:
    found = read_quantities(text)
    assert {quantity.unit.id if quantity.unit else None for quantity in found} == units
    assert not any(quantity.plain for quantity in found)


@pytest.mark.parametrize(
    ("text", "hedge"),
    [("about 5", "about"), ("more than 5", "above"), ("nearly the 5", "below"), ("~5", "about"), ("the 5", "")],
)
def test_hedges(text: str, hedge: str) -> None:
    assert only(text).hedge == hedge


@pytest.mark.parametrize(
    ("text", "step"),
    [("38", 1), ("3,412,000", 1000), ("2,000,000", 100000), ("3.4 million", 1e5), ("2 million", 2e5), ("0.25", 0.01)],
)
def test_the_last_digit_says_how_exact_a_number_is(text: str, step: float) -> None:
    assert only(text).step == pytest.approx(step)


def test_years_are_exact_and_decades_and_centuries_are_stretches_of_years() -> None:
    assert only("in 1900").is_year
    assert not only("1900 kg").is_year
    assert only("the 1990s").high == 1999
    assert any(quantity.values == (1800,) and quantity.high == 1900 for quantity in read_quantities("the 19th century"))


@pytest.mark.parametrize("text", ["2-5%", "2 to 5 percent", "between 2 and 5 %"])
def test_both_ends_of_a_stretch_have_its_unit(text: str) -> None:
    assert [quantity.unit.id for quantity in read_quantities(text) if quantity.unit] == ["percent", "percent"]


def test_words_that_imply_a_number_only_account_for_one() -> None:
    assert [(quantity.values, quantity.plain) for quantity in read_quantities("both of them")] == [((2,), False)]


@given(st.text())
def test_every_amount_lies_within_the_text_and_has_a_value(text: str) -> None:
    for quantity in read_quantities(text):
        assert 0 <= quantity.start < quantity.end <= len(text)
        assert quantity.values


@given(st.integers(min_value=0, max_value=10**9))
def test_whole_numbers_are_read_with_and_without_separators(number: int) -> None:
    assert only(f"{number} x").values == only(f"{number:,} x").values == (number,)
