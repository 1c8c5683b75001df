from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.calendar_dates import names_relative_day, read_dates, weekdays


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("March 3, 2020", {(2020, 3, 3)}),
        ("march 3rd 2020", {(2020, 3, 3)}),
        ("the 3rd of March, 2020", {(2020, 3, 3)}),
        ("3 Mar. 2020", {(2020, 3, 3)}),
        ("2020-03-03", {(2020, 3, 3)}),
        ("13/3/2020", {(2020, 3, 13)}),
        ("3/4/2020", {(2020, 3, 4), (2020, 4, 3)}),
        ("13.3.20", {(None, 3, 13)}),
        ("March 2020", {(2020, 3, None)}),
        ("in October of 1990", {(1990, 10, None)}),
        ("in October", {(None, 10, None)}),
        ("June 5-7, 1990", {(1990, 6, 5), (1990, 6, 7)}),
        ("5 and 6 June", {(None, 6, 5), (None, 6, 6)}),
        ("December 12 million people", {(None, 12, None)}),
        ("He may march on in August company.", set()),
        ("2020-13-03", set()),
        ("1/2 of 3.4", set()),
    ],
)
def test_ways_to_write_a_date(text: str, dates: set[tuple[int | None, int | None, int | None]]) -> None:
    assert {(found.year, found.month, found.day) for found in read_dates(text)} == dates


def test_a_date_that_can_be_read_in_two_ways_is_not_sure() -> None:
    assert not any(found.sure for found in read_dates("3/4/2020"))
    assert all(found.sure for found in read_dates("13/4/2020 4/4/2020"))


def test_dates_agree_where_what_both_state_is_the_same() -> None:
    month, day, other = read_dates("March 2020, March 3, 2020 and March 5, 2020")
    assert month.agrees(day)
    assert not day.agrees(other)
    assert (day.common(other), day.differing(other)) == (2, 1)


def test_weekdays_and_days_told_from_the_day_of_the_text() -> None:
    assert [number for _, _, number in weekdays("from Monday to sunday, and on Fridays")] == [0, 6, 4]
    assert names_relative_day("It happened yesterday.")
    assert not names_relative_day("It happened in March.")


@given(st.dates(min_value=date(1000, 1, 1), max_value=date(2099, 12, 31)))
def test_every_way_to_write_a_day_means_that_day(day: date) -> None:
    ways = [
        f"{day:%Y-%m-%d}",
        f"{day:%B} {day:%d}, {day:%Y}",
        f"{day:%d} {day:%b} {day:%Y}",
        f"the {day:%d}th of {day:%B} {day:%Y}",
    ]
    read = {(found.year, found.month, found.day) for way in ways for found in read_dates(f"On {way}.")}
    assert len(read) == 1
