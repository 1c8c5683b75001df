"""What is made of the NLI model's probabilities: support, penalties and vetoes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.schemas import DiscrepancyKind, EvidenceField, Label
from groundwire.worker.scoring.asking import Probabilities, label_of
from groundwire.worker.scoring.context import ContextField, Passage
from groundwire.worker.scoring.premises import Premise
from groundwire.worker.scoring.profiles import Support
from groundwire.worker.scoring.support import SupportJudge
from groundwire.worker.scoring.unfounded import missing_of, vocabulary_of

CONTEXT = "The mill of Holm grinds rye for 38 farms. It was built in 1870 by Anna Berg."
SURE, OPEN = Probabilities(0.95, 0.04, 0.01), Probabilities(0.05, 0.9, 0.05)


def judge(context: str = CONTEXT) -> tuple[SupportJudge, Premise]:
    field = ContextField(0, None, EvidenceField.TEXT, context)
    return SupportJudge((field,), Support()), Premise(context, (Passage(field, 0, len(context)),))


weights = st.tuples(*[st.floats(0.0, 1.0)] * 3).filter(lambda row: sum(row) > 0.0)
said = weights.map(lambda row: Probabilities(*(value / sum(row) for value in row)))
claims = st.sampled_from(["The mill grinds rye.", "Olaf Lind sold 12 mills to Ribe.", "It was built in 1870."])


@given(claims, said)
def test_the_three_are_probabilities_and_half_a_probability_decides(claim: str, told: Probabilities) -> None:
    judging, premise = judge()
    found = judging.judge(claim, premise, told).probabilities
    assert all(0 <= value <= 1 for value in found)
    assert sum(found) == pytest.approx(1)
    assert (label_of(found) is Label.ENTAILMENT) is (found.entailment > 0.5)


@given(claims, said, st.floats(0.0, 1.0))
def test_a_premise_that_entails_more_and_contradicts_no_more_supports_at_least_as_much(
    claim: str, told: Probabilities, part: float
) -> None:
    judging, premise = judge()
    moved = told.neutral * part
    more = Probabilities(told.entailment + moved, told.neutral - moved, told.contradiction)
    less, least = (judging.judge(claim, premise, one).probabilities.entailment for one in (more, told))
    assert less >= least - 1e-9


@pytest.mark.parametrize(
    ("claim", "numbers", "names"),
    [
        ("The mill of Holm grinds rye for 38 farms.", 0, 0),
        ("The mill of Ribe grinds rye for 39 farms.", 1, 1),
        ("Built by Anna Berg's family in 1870.", 0, 0),
        ("The mill grinds rye for 38.0 farms.", 1, 0),
        ("Ribe has a mill.", 0, 0),  # the first word has a capital in any case
        ("The mill, so Olaf Lind says, is old.", 0, 2),
        ("It has twelve sails.", 1, 0),
    ],
)
def test_numbers_and_names_that_the_context_lacks_are_counted(claim: str, numbers: int, names: int) -> None:
    assert missing_of(claim, [vocabulary_of(CONTEXT)]) == (numbers, names)


def test_small_numbers_are_the_same_in_words() -> None:
    assert missing_of("It has 12 sails.", [vocabulary_of("It has twelve sails.")]).numbers == 0
    assert missing_of("It has twelve sails.", [vocabulary_of("It has 12 sails.")]).numbers == 0


def test_a_missing_name_costs_support_and_another_context_that_has_it_gives_it_back() -> None:
    claim = "The mill that Olaf Lind built grinds rye."
    without, premise = judge()
    with_name, other = judge(CONTEXT + " Olaf Lind came later.")
    lower = without.judge(claim, premise, SURE).probabilities.entailment
    assert lower < with_name.judge(claim, other, SURE).probabilities.entailment


def test_a_wrong_number_vetoes_an_entailment_and_is_named() -> None:
    judging, premise = judge("The country counts 38 million inhabitants.")
    held = judging.judge("The country counts 438 million inhabitants.", premise, SURE)
    assert held.discrepancy is DiscrepancyKind.NUMBER
    assert label_of(held.probabilities) is not Label.ENTAILMENT
    assert held.said == SURE


def test_what_the_model_does_not_take_for_entailed_is_not_checked() -> None:
    judging, premise = judge("The country counts 38 million inhabitants.")
    assert judging.judge("The country counts 438 million inhabitants.", premise, OPEN).discrepancy is None


def test_a_claim_that_stands_in_its_premise_has_no_veto() -> None:
    judging, premise = judge()
    held = judging.judge("It was built in 1870 by Anna Berg.", premise, SURE)
    assert (held.discrepancy, label_of(held.probabilities)) == (None, Label.ENTAILMENT)


def test_a_premise_without_a_content_word_of_the_claim_supports_nothing() -> None:
    judging, premise = judge()
    assert label_of(judging.judge("They are very well behaved.", premise, SURE).probabilities) is Label.NEUTRAL
    assert label_of(judging.judge("A mill is there.", premise, SURE).probabilities) is Label.ENTAILMENT


def test_where_claim_and_premise_are_in_different_scripts_the_model_has_the_say() -> None:
    judging, premise = judge()
    assert label_of(judging.judge("Мельница мелет рожь.", premise, SURE).probabilities) is Label.ENTAILMENT


def test_a_claim_of_function_words_is_supported_where_all_of_them_stand() -> None:
    judging, premise = judge("There it was.")
    assert label_of(judging.judge("It was there.", premise, SURE).probabilities) is Label.ENTAILMENT
    assert label_of(judging.judge("It will be there.", premise, SURE).probabilities) is Label.NEUTRAL


def test_a_number_in_a_chunk_about_something_else_is_missing_all_the_same() -> None:
    fields = tuple(
        ContextField(place, None, EvidenceField.TEXT, text) for place, text in enumerate([CONTEXT, "It has 45 sails."])
    )
    premise = Premise(CONTEXT, (Passage(fields[0], 0, len(CONTEXT)),))
    claim = "The mill of Holm grinds rye for 45 farms."
    found = [
        SupportJudge(fields, Support(), about).features(claim, premise, SURE).numbers
        for about in (None, lambda _: {0, 1}, lambda _: {0}, lambda _: set())
    ]
    assert found == [0, 0, 1, 1]
