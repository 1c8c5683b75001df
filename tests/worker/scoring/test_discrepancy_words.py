from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from groundwire.schemas.names import DiscrepancyKind
from groundwire.worker.scoring.alignment import function_words, words_of
from groundwire.worker.scoring.calendar_dates import names_relative_day, read_dates, weekdays
from groundwire.worker.scoring.discrepancies import discrepancy
from groundwire.worker.scoring.name_check import is_known
from groundwire.worker.scoring.negation_check import are_opposites
from groundwire.worker.scoring.quantities import read_quantities
from groundwire.worker.scoring.quantity_words import load_quantity_words, load_units
from groundwire.worker.scoring.reading import Reading
from groundwire.worker.scoring.word_lists import load_table

TABLES = {
    name: load_table(name) for name in ("calendar", "function_words", "names", "opposites", "quantities", "units")
}
OPPOSITES = TABLES["opposites"]


def strings(value: Any) -> list[str]:
    """All words of a table; ids, dimensions and symbols whose case matters are none."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [
            word for key, each in value.items() if key not in {"id", "dimension", "exact"} for word in strings(each)
        ]
    return [word for each in value for word in strings(each)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", TABLES)
def test_words_are_kept_in_lower_case_without_blanks_at_their_ends(name: str) -> None:
    assert all(word == word.lower().strip() != "" for word in strings(TABLES[name]))


@pytest.mark.parametrize("row", TABLES["units"]["unit"], ids=lambda row: row["id"])
def test_every_name_of_a_unit_is_read(row: dict[str, Any]) -> None:
    for name in [*row["names"], *row.get("exact", [])]:
        assert row["id"] in {quantity.unit.id for quantity in read_quantities(f"7 {name}") if quantity.unit}


@pytest.mark.parametrize("name", load_units().by_name)
def test_units_of_one_name_differ_in_what_they_measure(name: str) -> None:
    dimensions = [unit.dimension for unit in load_units().by_name[name]]
    assert len(dimensions) == len(set(dimensions))


@pytest.mark.parametrize(
    ("word", "value"), {**load_quantity_words().cardinals, **load_quantity_words().ordinals}.items()
)
def test_every_number_word_is_read(word: str, value: float) -> None:
    assert value in {number for quantity in read_quantities(f"the {word} of them") for number in quantity.values}


@pytest.mark.parametrize(("word", "denominator"), load_quantity_words().fractions.items())
def test_every_fraction_is_read(word: str, denominator: float) -> None:
    assert [1 / denominator] == [quantity.values[0] for quantity in read_quantities(f"one {word}") if quantity.plain]


@pytest.mark.parametrize(("word", "factor"), load_quantity_words().magnitudes.items())
def test_every_magnitude_multiplies(word: str, factor: float) -> None:
    assert [7 * factor] == [quantity.values[0] for quantity in read_quantities(f"7 {word}")]


@pytest.mark.parametrize(("letter", "factor"), load_quantity_words().letters.items())
def test_every_letter_multiplies_money(letter: str, factor: float) -> None:
    assert [7 * factor] == [quantity.values[0] for quantity in read_quantities(f"${7}{letter}")]


@pytest.mark.parametrize(("phrase", "kind"), load_quantity_words().hedges.items())
def test_every_hedge_is_read(phrase: str, kind: str) -> None:
    assert [quantity.hedge for quantity in read_quantities(f"It is {phrase} 70") if quantity.plain] == [kind]


@pytest.mark.parametrize(("word", "value"), load_quantity_words().implied.items())
def test_every_word_that_implies_a_number_accounts_for_it(word: str, value: float) -> None:
    assert value in {quantity.values[0] for quantity in read_quantities(f"of {word} things")}


def test_every_month_and_weekday_is_read() -> None:
    for number, names in enumerate(TABLES["calendar"]["months"], 1):
        for name in names:
            assert [date.month for date in read_dates(f"5 {name} 2020")] == [number]
    for number, names in enumerate(TABLES["calendar"]["weekdays"]):
        assert [found for _, _, found in weekdays(" ".join(names))] == [number] * len([n for n in names if "day" in n])


@pytest.mark.parametrize("month", TABLES["calendar"]["ambiguous"])
def test_months_that_are_also_words_are_no_date_alone(month: str) -> None:
    assert read_dates(f"in {month.title()}") == []
    assert read_dates(f"in {month.title()} 2020") != []


@pytest.mark.parametrize("phrase", TABLES["calendar"]["relative"])
def test_every_relative_day_is_known(phrase: str) -> None:
    assert names_relative_day(f"It happened {phrase}.")


@pytest.mark.parametrize("word", TABLES["function_words"]["words"])
def test_function_words_have_no_content(word: str) -> None:
    assert not any(each.has_content for each in words_of(word))


@pytest.mark.parametrize("word", ["not", "no", "never", "more", "before", "five", "open"])
def test_words_that_make_a_difference_are_no_function_words(word: str) -> None:
    assert word not in function_words()


@pytest.mark.parametrize("names", TABLES["names"]["same"], ids=lambda names: names[0])
def test_names_of_one_thing_stand_for_each_other(names: list[str]) -> None:
    assert all(is_known(one, [Reading(f"It is {two}.")]) for one, two in product(names, names))


@pytest.mark.parametrize("title", TABLES["names"]["titles"])
def test_titles_are_no_names(title: str) -> None:
    claim, evidence = f"Yesterday {title.title()} spoke to members.", "Yesterday Xaver spoke to members."
    assert discrepancy(claim, evidence) is None


@pytest.mark.parametrize("sides", OPPOSITES["scales"], ids=lambda sides: sides[0][0])
def test_words_of_different_sides_are_opposites_and_those_of_one_side_are_not(sides: list[list[str]]) -> None:
    for one, other in combinations(sides, 2):
        assert all(are_opposites(left, right) and are_opposites(right, left) for left, right in product(one, other))
    assert not any(are_opposites(left, right) for side in sides for left, right in product(side, side))


@pytest.mark.parametrize("cue", OPPOSITES["cues"])
def test_every_negation_turns_a_statement_round(cue: str) -> None:
    found = discrepancy(
        f"The plans of the council {cue} changed buildings.", "The plans of the council changed buildings."
    )
    assert found is not None
    assert found.kind is DiscrepancyKind.NEGATION


@pytest.mark.parametrize("phrase", OPPOSITES["harmless"])
def test_phrases_that_only_hold_a_negation_turn_nothing_round(phrase: str) -> None:
    claim, evidence = (
        f"The plans of the council {phrase} changed buildings.",
        "The plans of the council changed buildings.",
    )
    assert discrepancy(claim, evidence) is None


@pytest.mark.parametrize("word", [*OPPOSITES["weak"], *OPPOSITES["contrasts"], *OPPOSITES["limits"]])
def test_a_negation_is_at_odds_with_nothing_beside_words_that_deny_or_limit_themselves(word: str) -> None:
    claim, evidence = "The plans have not changed buildings.", f"The plans have {word} changed buildings."
    assert discrepancy(claim, evidence) is None


@pytest.mark.parametrize("prefix", OPPOSITES["prefixes"])
def test_every_prefix_makes_an_opposite(prefix: str) -> None:
    assert are_opposites("regular", f"{prefix}regular")


@pytest.mark.parametrize("word", OPPOSITES["unlike"])
def test_words_that_a_prefix_does_not_turn_round(word: str) -> None:
    assert not any(are_opposites(word, prefix + word) for prefix in OPPOSITES["prefixes"])
