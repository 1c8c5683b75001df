"""Holding a sentence against premises until one settles it says the same as holding it against all, and costs less."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.models import Answers
from groundwire.schemas import GroundednessDetails, Label, MetricName, ProfileName
from groundwire.worker.scoring.profiles import PROFILES, Grounding, SureContradiction, WholeContext
from groundwire.worker.scoring.score_job import JobScore, score_job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports

    Row = tuple[float, float, float]
    RowOf = Callable[[str, str], Row]
    Ran = tuple[JobScore, list[list[tuple[str, str]]]]

BOTH = (MetricName.FAITHFULNESS, MetricName.GROUNDEDNESS)
HARBOUR = "The harbour was dug by hand in 1870. It holds forty boats in winter. The wall is of grey stone."
MILL = "The mill grinds rye and oats for the valley. Its wheel is of oak. The harbour has a mill."
ENTAILS, OPEN, CONTRADICTS = (0.9, 0.06, 0.04), (0.1, 0.8, 0.1), (0.04, 0.06, 0.9)
NARROWLY = (0.4, 0.3, 0.3)
OF_THREE = "The harbour with a grey wall was dug by hand in 1870 for forty boats."
"""A sentence to which each sentence of HARBOUR adds something, so that it has three premises."""

weights = st.integers(0, 100)
rows = st.one_of(
    st.tuples(weights, weights, weights).filter(any).map(lambda row: tuple(value / sum(row) for value in row)),
    st.sampled_from(
        [ENTAILS, OPEN, CONTRADICTS, NARROWLY, (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.500001, 0.499999, 0.0)]
    ),
)
sentences = st.sampled_from(
    [
        OF_THREE,
        "The harbour was dug by hand [1].",
        "The mill grinds rye and oats [1][2].",
        "Its wheel is of grey stone and oak [2].",
        "It holds forty boats in winter [3].",
        "The harbour has a mill of its own.",
    ]
)
answers = st.lists(sentences, min_size=1, max_size=6).map(" ".join)
contexts = st.lists(
    st.sampled_from([HARBOUR, MILL, "The wall is old.", "Boats lie at the mill."]), min_size=1, max_size=4
)
AS_SAID = replace(PROFILES[ProfileName.EVIDENCE], support=None)
"""Without the weights of support: the premises have the probabilities that they are told."""

profiles = st.sampled_from(
    [
        PROFILES[ProfileName.EVIDENCE],
        AS_SAID,
        replace(PROFILES[ProfileName.EVIDENCE], grounding=Grounding(contradiction=SureContradiction(entailment=0.8))),
        # pieces of a few words, so that there are several
        replace(PROFILES[ProfileName.ORIGINAL], premises=WholeContext(max_whole_words=12, piece_words=6)),
    ]
)


class Told:
    """Says of a pair what it was told to."""

    def __init__(self, row_of: RowOf) -> None:
        self.calls: list[list[tuple[str, str]]] = []
        self._row_of = row_of

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
        assert temperature > 0
        self.calls.append(list(pairs))
        return Answers(np.array([self._row_of(*pair) for pair in pairs], np.float32), 0)


@pytest.fixture
def run(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., Ran]:
    def run(row_of: RowOf, profile: Any = PROFILES[ProfileName.EVIDENCE], *, exhaustive: bool, **fields: Any) -> Ran:
        model = Told(row_of)
        configured = replace(profile, min_context_chars=0, exhaustive=exhaustive)
        return score_job(make_job(**fields), configured, replace(ports, nli=model), BOTH), model.calls

    return run


def always(row: Row) -> RowOf:
    return lambda _premise, _claim: row


def verdicts(scored: JobScore) -> Any:
    """Everything of a score but probabilities and evidence."""
    details = scored.metrics["groundedness"].details
    assert details is None or isinstance(details, GroundednessDetails)
    return (
        [
            (metric.score, metric.status, [one.label for one in metric.sentence_results])
            for metric in scored.metrics.values()
        ],
        details
        and (
            details.citation_precision,
            details.citation_recall,
            [one.citation_supports for one in details.sentences],
            [bool(one.entailed_by) for one in details.sentences],
        ),
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(st.data())
def test_early_and_exhaustive_agree_on_every_verdict_and_early_asks_no_more(
    run: Callable[..., Ran], data: st.DataObject
) -> None:
    told = data.draw(st.lists(rows, min_size=1, max_size=7))

    def row_of(premise: str, claim: str) -> Row:
        return told[sum(map(ord, premise + claim)) % len(told)]

    profile = data.draw(profiles)
    fields: dict[str, Any] = {"response_text": data.draw(answers), "contexts": data.draw(contexts)}
    if data.draw(st.booleans()):
        fields["cited_chunks"] = ["1"]
    early, early_calls = run(row_of, profile, exhaustive=False, **fields)
    full, full_calls = run(row_of, profile, exhaustive=True, **fields)
    assert verdicts(early) == verdicts(full)
    early_pairs, full_pairs = ([pair for call in calls for pair in call] for calls in (early_calls, full_calls))
    assert set(early_pairs) <= set(full_pairs)
    assert len(early_pairs) == len(set(early_pairs))
    assert early.pairs <= full.pairs
    assert early.pairs - early.cached_pairs == len(early_pairs)
    for metric, entire in zip(early.metrics.values(), full.metrics.values(), strict=True):
        for one, other in zip(metric.sentence_results, entire.sentence_results, strict=True):
            if one.label is Label.ENTAILMENT:
                assert one.entailment_prob is not None
                assert other.entailment_prob is not None
                assert one.entailment_prob <= other.entailment_prob
            else:
                assert one == other


def test_a_sentence_that_is_settled_is_not_held_against_longer_premises(run: Callable[..., Ran]) -> None:
    answer = "The harbour was dug by hand in 1870. The mill grinds rye and oats."
    scored, calls = run(always(ENTAILS), AS_SAID, exhaustive=False, response_text=answer, contexts=[HARBOUR, MILL])
    assert [len(call) for call in calls] == [2]
    assert (scored.pairs, scored.cached_pairs) == (4, 2)
    [first, _] = scored.metrics["faithfulness"].sentence_results
    assert [piece.text for piece in first.evidence] == ["The harbour was dug by hand in 1870."]
    assert first.entailment_prob == pytest.approx(0.9)


def test_one_call_asks_for_a_premise_of_every_open_sentence(run: Callable[..., Ran]) -> None:
    answer = (
        f"{OF_THREE} The mill with an oak wheel grinds oats and rye at the harbour. "
        "It holds forty boats in winter behind a grey wall and was dug by hand."
    )
    scored, calls = run(always(OPEN), exhaustive=False, response_text=answer, contexts=[HARBOUR, MILL])
    assert [len(call) for call in calls] == [3, 3, 3]
    assert [len({claim for _, claim in call}) for call in calls] == [3, 3, 3]
    assert scored.cached_pairs == 9
    _, [call] = run(always(OPEN), exhaustive=True, response_text=answer, contexts=[HARBOUR, MILL])
    assert set(call) == {pair for early in calls for pair in early}


def test_a_premise_that_entails_without_being_sure_does_not_end_the_search(run: Callable[..., Ran]) -> None:
    scored, calls = run(always(NARROWLY), AS_SAID, exhaustive=False, response_text=OF_THREE, contexts=[HARBOUR])
    assert len(calls) == 3
    [one] = scored.metrics["faithfulness"].sentence_results
    assert one.label is Label.ENTAILMENT


@pytest.mark.parametrize("exhaustive", [False, True])
def test_entailment_that_would_not_clear_of_contradiction_does_not_end_the_search(
    run: Callable[..., Ran], *, exhaustive: bool
) -> None:
    strict = replace(
        PROFILES[ProfileName.EVIDENCE], grounding=Grounding(contradiction=SureContradiction(entailment=0.8))
    )

    def row_of(premise: str, _claim: str) -> Row:
        return (0.6, 0.0, 0.4) if premise.count(".") == 1 else CONTRADICTS

    fields = {"response_text": OF_THREE, "contexts": [HARBOUR]}
    scored, _ = run(row_of, strict, exhaustive=exhaustive, **fields)
    assert [metric.sentence_results[0].label for metric in scored.metrics.values()] == [
        Label.ENTAILMENT,
        Label.CONTRADICTION,
    ]


@pytest.mark.parametrize("exhaustive", [False, True])
def test_a_chunk_supports_by_a_piece_of_the_whole_that_the_verdict_did_not_need(
    run: Callable[..., Ran], *, exhaustive: bool
) -> None:
    pieces = replace(PROFILES[ProfileName.ORIGINAL], premises=WholeContext(max_whole_words=6, piece_words=6))
    # cut into pieces of six words together, the second chunk keeps "holm mill" in one piece; cut alone, it does not
    chunks = ["a holm mill stands by the old wall here", "b c d e f holm mill g h i j k"]

    def row_of(premise: str, _claim: str) -> Row:
        return ENTAILS if "holm mill" in premise else OPEN

    fields = {"response_text": "There is a mill in Holm [1][2].", "contexts": chunks}
    scored, _ = run(row_of, pieces, exhaustive=exhaustive, **fields)
    details = scored.metrics["groundedness"].details
    assert isinstance(details, GroundednessDetails)
    assert details.sentences[0].supporting == (0, 1)
