from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groundwire.schemas.names import DiscrepancyKind
from groundwire.worker.scoring.discrepancies import discrepancy
from groundwire.worker.scoring.reading import Reading

NUMBER, DATE, UNIT = DiscrepancyKind.NUMBER, DiscrepancyKind.DATE, DiscrepancyKind.UNIT
NAME, NEGATION = DiscrepancyKind.NAME, DiscrepancyKind.NEGATION

AT_ODDS = [
    ("The country counts 438 million inhabitants.", "The country counts 38 million inhabitants.", NUMBER),
    ("The seal lasts 2,000 hours of operation.", "The seal lasts 8,000 hours of operation.", NUMBER),
    ("The potato blight reached Ireland in 1945.", "The potato blight reached Ireland in 1845.", NUMBER),
    ("The village has 2500 inhabitants.", "The village has 500 inhabitants.", NUMBER),
    ("Sales of the group were $2 billion.", "Sales of the group were $1.8 billion.", NUMBER),
    ("Twelve ships sailed to Lisbon.", "Fourteen ships sailed to Lisbon.", NUMBER),
    ("Two thirds of the members voted.", "Three quarters of the members voted.", NUMBER),
    ("He finished the race in fifth place.", "He finished the race in third place.", NUMBER),
    ("More than 500 people attended the concert.", "The concert: 120 people attended.", NUMBER),
    ("The bridge is 1,353 metres long.", "The bridge is among the longest of the country.", NUMBER),
    ("The Tier 2 capital ratio was 13.8 percent.", "The Tier 1 capital ratio was 13.8 percent.", NUMBER),
    ("Growth lies within the range of 3-9%.", "Growth lies within the range of 4% to 9%.", NUMBER),
    ("It became a threat in 1995, after two deaths.", "It became a threat in 1997, after two deaths.", NUMBER),
    ("Debt fell below $12 billion by March.", "Debt fell below $25 billion by March.", NUMBER),
    ("The album came out in 2000.", "The album came out on vinyl.", NUMBER),
    ("It opened on March 3, 2020.", "It opened on March 3, 2019.", DATE),
    ("It opened on 2020-03-03.", "It opened on 5 March 2020.", DATE),
    ("It opened on the 3rd of April 2020.", "It opened on March 3, 2020.", DATE),
    ("The court will meet on Monday.", "The court will meet on Thursday.", DATE),
    ("Patients take 5 mg daily.", "Patients take 5 g daily.", UNIT),
    ("A ticket costs €12 at the door.", "A ticket costs $12 at the door.", UNIT),
    ("The guarantee runs for 3 years from purchase.", "The guarantee runs for 3 months from purchase.", UNIT),
    ("The rate rose by 2 percent in May.", "The rate rose by 2 percentage points in May.", UNIT),
    ("The song was recorded by Neil Young in Nashville.", "The song was recorded by Hank Williams in Nashville.", NAME),
    ("The head office moved to Berlin last spring.", "The head office moved to Hamburg last spring.", NAME),
    ("Clinical data came from an EEG recording.", "Clinical data came from an ECG recording.", NAME),
    ("The drug is available in pharmacies.", "The drug is not available in pharmacies.", NEGATION),
    ("The drug is not available in pharmacies.", "The drug is available in pharmacies.", NEGATION),
    ("The mayor doesn't support the plan.", "The mayor supports the plan.", NEGATION),
    ("The museum closed its doors before the war.", "The museum closed its doors after the war.", NEGATION),
    ("Prices of wheat increased sharply.", "Prices of wheat decreased sharply.", NEGATION),
    ("The noise was controlled at night.", "The noise was uncontrolled at night.", NEGATION),
    ("Exports of steel are higher this year.", "Exports of steel are lower this year.", NEGATION),
]

AT_ONE = [
    ("The town has 3.4 million inhabitants.", "The town has 3,412,000 inhabitants."),
    ("The town has about 3 million inhabitants.", "The town has 3,112,000 inhabitants."),
    ("Over 400 people attended the concert.", "The concert was attended by 438 people."),
    ("Nearly 500 people attended the concert.", "The concert was attended by 480 people."),
    ("The distance is 5 km on foot.", "The distance is 3.1 miles on foot."),
    ("The water was 20 °C warm.", "The water was 68 °F warm."),
    ("Half of the members voted.", "50% of the members voted."),
    ("A quarter of the members voted.", "25 percent of the members voted."),
    ("A dozen eggs were broken.", "12 eggs were broken."),
    ("The flag has three colours.", "The flag is red, green and blue."),
    ("She wrote two books with both of them.", "She wrote a pair of books with them."),
    ("He was 30 years old when he died in 1930.", "He was born in 1900 and died in 1930."),
    ("They have been married for 15 years.", "They married in 2001 and parted in 2016."),
    ("He died in 1930.", "He was born in 1900 and died at the age of 30 years."),
    ("The debates began in June 2019.", "In December 2018 they announced debates for June."),
    ("The contract pays 12 to 15 percent.", "The contract pays from 12% to 15%."),
    ("30% of the members voted against it.", "70% of the members voted for it."),
    ("It was built in the 1990s.", "It was built in 1995."),
    ("It was built in the 19th century.", "It was built in 1850."),
    ("It was built in the year 1995.", "It was built in the 1990s."),
    ("It happened in the 2018-19 season.", "It happened in the season 2018-2019."),
    ("World War 2 ended in Europe.", "World War II ended in Europe."),
    ("The company paid €5m for it.", "The company paid 5 million euros for it."),
    ("The parcel weighs 90.72 kg in all.", "The parcel weighs 200 pounds in all."),
    ("It costs 1.234,50 euros.", "It costs €1,234.50."),
    ("It opened on 2020-03-03.", "It opened on March 3, 2020."),
    ("It opened in March 2020.", "It opened on March 3, 2020."),
    ("It opened on 3 April.", "It opened on 4/3/2020."),
    ("The trial began on March 1, 2017 in Rome.", "March 2, 2017. The trial began on Wednesday in Rome."),
    ("The company released version B-52 in spring.", "The company released version B-53 in spring."),
    ("The report of the WHO came out in spring.", "The report of the World Health Organization came out in spring."),
    ("It is a French company from the south.", "It is a company from the south of France."),
    ("The prize went to Bob Dylan in Stockholm.", "The prize went to Robert Dylan in Stockholm."),
    ("The prize went to J. Smith in Stockholm.", "The prize went to John Smith in Stockholm."),
    ("The prize went to Smith's team in Stockholm.", "The prize went to Smith in Stockholm."),
    ("People call the country Alemania in Spain.", "People call the country Alemanía in Spain."),
    ("The museum is in Paris near the river.", "The museum is near the river."),
    ("The drug is unavailable in pharmacies.", "The drug is not available in pharmacies."),
    ("The shop is not only open on Sundays.", "The shop is open on Sundays."),
    ("The shop is not closed on Sundays.", "The shop is open on Sundays."),
    ("People can't digest milk.", "People have a decreased ability to digest milk."),
    ("He never failed to deliver in time.", "He delivered in time."),
    ("The plan has no critics in town.", "The plan lacks critics in town."),
    ("Nothing at all is at odds here.", ""),
]


@pytest.mark.parametrize(("claim", "evidence", "kind"), AT_ODDS)
def test_what_the_evidence_refutes_is_named(claim: str, evidence: str, kind: DiscrepancyKind) -> None:
    found = discrepancy(claim, evidence)
    assert found is not None
    assert found.kind is kind
    assert found.claimed in claim
    assert found.found in evidence


@pytest.mark.parametrize(("claim", "evidence"), AT_ONE)
def test_what_may_be_the_same_is_left_alone(claim: str, evidence: str) -> None:
    assert discrepancy(claim, evidence) is None


@pytest.mark.parametrize(("claim", "evidence", "kind"), AT_ODDS)
def test_a_claim_that_stands_elsewhere_in_the_context_in_so_many_words_is_not_refuted_by_its_numbers_and_names(
    claim: str, evidence: str, kind: DiscrepancyKind
) -> None:
    found = discrepancy(claim, evidence, [Reading(claim)])
    assert found is None or (kind is NEGATION and found.kind is NEGATION)


def test_a_number_elsewhere_in_the_context_accounts_for_a_claimed_one_but_not_for_one_with_a_unit() -> None:
    claim, evidence = "The clinic treated 438 patients.", "The clinic treated 38 patients."
    assert discrepancy(claim, evidence, [Reading("In all, 438 came.")]) is None
    claim, evidence = "He died 88 years ago in Rome.", "He died 35 years ago in Rome."
    assert discrepancy(claim, evidence, [Reading("He was number 88 of the team.")]) is not None


def test_the_public_case_says_what_is_at_odds() -> None:
    found = discrepancy("The country counts 438 million inhabitants.", "The country counts 38 million inhabitants.")
    assert found is not None
    assert (found.kind, found.claimed, found.found) == (NUMBER, "438 million", "38 million")


def test_the_representation_holds_no_words_of_answer_or_context() -> None:
    found = discrepancy("The clinic treated 438 patients.", "The clinic treated 38 patients.")
    assert "438" not in repr(found)
    assert "38" not in repr(found)


TEXTS = st.text(max_size=80) | st.lists(
    st.sampled_from([*(word for case in AT_ODDS + AT_ONE for text in case[:2] for word in text.split()), "\n"]),
    max_size=20,
).map(" ".join)


@given(TEXTS)
def test_a_text_is_never_at_odds_with_itself(text: str) -> None:
    assert discrepancy(text, text) is None


@given(TEXTS, TEXTS, TEXTS)
def test_a_text_is_never_at_odds_with_one_that_contains_it(before: str, text: str, after: str) -> None:
    assert discrepancy(text, f"{before} {text} {after}") is None


@given(TEXTS, TEXTS, TEXTS)
def test_the_rest_of_the_context_never_refutes_by_itself(claim: str, evidence: str, wider: str) -> None:
    if discrepancy(claim, evidence) is None:
        assert discrepancy(claim, evidence, [Reading(wider)]) is None


NUMBERS = st.integers(min_value=2, max_value=10**7)
FRAMES = st.sampled_from(
    [
        "The country counts {} inhabitants.",
        "Some of the {} workers went home.",
        "They sold {} tickets in spring",
        "The order of {} bricks was late.",
    ]
)


@given(FRAMES, NUMBERS)
def test_another_way_to_write_a_number_changes_nothing(frame: str, number: int) -> None:
    ways = [
        f"{number}",
        f"{number:,}",
        f"{number:,}".replace(",", "\N{NO-BREAK SPACE}"),
        f"{number:,}.0",
        spelled(number),
    ]
    for one in ways:
        for two in ways:
            assert discrepancy(frame.format(one), frame.format(two)) is None


@given(FRAMES, NUMBERS, NUMBERS, st.booleans(), st.booleans())
def test_another_number_is_a_discrepancy(frame: str, claimed: int, stated: int, words: bool, marks: bool) -> None:  # noqa: FBT001  # drawn
    assume(abs(claimed - stated) * 10 > max(claimed, stated))  # further off than any rounding
    assume(stated % 100 != claimed and claimed % 100 != stated)  # '63 may be 1963
    claim = frame.format(spelled(claimed) if words else claimed)
    found = discrepancy(claim, frame.format(f"{stated:,}" if marks else stated))
    assert found is not None
    assert found.kind is NUMBER


SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    """Write a number below a thousand million in English words."""
    names = [*SMALL.split(), "eighteen", "nineteen"]
    if number < 20:
        return names[number]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{names[number % 10]}" if number % 10 else "")
    for scale, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = number % scale
            link = " and " if scale == 100 else " "
            return f"{spelled(number // scale)} {name}" + (f"{link}{spelled(rest)}" if rest else "")
    raise AssertionError(number)
