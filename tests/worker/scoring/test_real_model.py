"""Verdicts of the embedded model behind both profiles: known pitfalls of such scorers, each as a small case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import Job, MetricName, MetricResult, ProfileName, SkipReason
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

EIFFEL = "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel."
BRIDGE = "The bridge at Holm was opened to traffic in 1932."
UNRELATED = [
    "Tomatoes like warm soil and much sun.",
    "The meeting was moved to Tuesday by the chair.",
    "Sales of bicycles rose by a tenth in spring.",
    "The library lends maps for two weeks.",
    "A kettle boils faster with its lid on.",
    "The choir sings in the old hall on Fridays.",
    "Ferries leave the port every hour in summer.",
    "The museum keeps coins from six centuries.",
    "New tyres were fitted to all the buses.",
]


@pytest.fixture
def judge(real_ports: Ports) -> Callable[..., MetricResult]:
    def judge(answer: str, profile: ProfileName = ProfileName.EVIDENCE, **context: Any) -> MetricResult:
        job = Job(trace_id="t1", span_id="s1", response_text=answer, completion_tokens=14, **context)
        return score_job(job, PROFILES[profile], real_ports, [MetricName.FAITHFULNESS]).metrics["faithfulness"]

    return judge


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_what_the_context_says_is_supported(judge: Callable[..., MetricResult], profile: ProfileName) -> None:
    metric = judge("The Eiffel Tower is in Paris. It was built in 1889.", profile, rag_context=EIFFEL)
    assert (metric.score, metric.total_qualifying, metric.entailed_count) == (1.0, 2, 2)


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_another_place_and_another_year_are_contradicted(
    judge: Callable[..., MetricResult], profile: ProfileName
) -> None:
    metric = judge("The Eiffel Tower is in London. It was built in 1989.", profile, rag_context=EIFFEL)
    assert (metric.score, metric.contradicted_count) == (0.0, 2)


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_html_is_read(judge: Callable[..., MetricResult], profile: ProfileName) -> None:
    html = (
        "<h1>Tariffs</h1><script>const free = 'The Basic plan is free.'</script>"
        "<table><tr><th>Plan<th>Price<tr><td>Basic<td>5 euros a month<tr><td>Pro<td>9 euros a month</table>"
        "<p>The <b>Basic</b> plan has a notice period of one month.</p>"
    )
    answer = "The Basic plan costs 5 euros a month. The Basic plan has a notice period of one month."
    metric = judge(answer, profile, contexts=[{"html": html}])
    assert (metric.score, metric.entailed_count) == (1.0, 2)


def test_the_chunk_that_supports_is_the_evidence(judge: Callable[..., MetricResult]) -> None:
    contexts = ["The museum keeps coins from six centuries in its cellar.", BRIDGE]
    metric = judge("The bridge at Holm opened in 1932.", contexts=contexts)
    assert metric.score == 1.0
    assert {piece.context_index for piece in metric.sentence_results[0].evidence} == {1}


@pytest.mark.parametrize("place", range(3))
def test_one_supporting_chunk_of_three_is_enough(judge: Callable[..., MetricResult], place: int) -> None:
    contexts = [*UNRELATED[:place], BRIDGE, *UNRELATED[place:2]]
    assert judge("The Holm bridge was opened in 1932.", contexts=contexts).score == 1.0


@pytest.mark.parametrize("neighbours", [1, 9])
def test_unrelated_chunks_do_not_drown_the_evidence(judge: Callable[..., MetricResult], neighbours: int) -> None:
    metric = judge(BRIDGE, contexts=[BRIDGE, *UNRELATED[:neighbours]])
    assert metric.score == 1.0
    assert metric.sentence_results[0].evidence[0].context_index == 0


@pytest.mark.parametrize("profile", MODELS_PROFILES)
@pytest.mark.parametrize("times", [1, 10])
def test_a_wrong_year_is_not_supported_however_often_the_context_repeats_itself(
    judge: Callable[..., MetricResult], profile: ProfileName, times: int
) -> None:
    passage = f"{BRIDGE} It carries two lanes and a footpath over the river, and its arch spans 120 metres. "
    assert judge("The bridge at Holm was opened to traffic in 1942.", profile, rag_context=passage * times).score == 0.0


def test_a_wrong_number_in_markdown_is_not_supported(judge: Callable[..., MetricResult]) -> None:
    contexts = ["The country counts 38 million inhabitants.", UNRELATED[0]]
    assert judge("The country counts **438** million inhabitants.", contexts=contexts).score == 0.0
    assert judge("The country counts **38** million inhabitants.", contexts=contexts).score == 1.0


PLANS = "The Starter plan costs $19 per month and has 3 seats. The Team plan costs $79 per month and has 15 seats."


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        ("| Starter | $19 | 3 |\n| Team | $79 | 15 |", ["entailment", "entailment"]),
        ("| Starter | $29 | 3 |\n| Team | $79 | 3 |", None),
    ],
)
def test_rows_of_a_table_are_judged_by_what_they_state(
    judge: Callable[..., MetricResult], rows: str, labels: list[str] | None
) -> None:
    answer = f"Here are the plans:\n\n| Plan | Price per month | Seats |\n|---|---|---|\n{rows}\n"
    metric = judge(answer, rag_context=PLANS)
    found = [result.label for result in metric.sentence_results if result.unscored_reason is None]
    assert len(found) == 2
    assert found == labels if labels else "entailment" not in found


def test_marks_of_an_answer_as_models_write_it_cost_it_nothing(judge: Callable[..., MetricResult]) -> None:
    answer = (
        "Sure! Here is what I found:\n\n## The tower\n\n- The **Eiffel Tower** is in `Paris`.\u00b9\n"
        "- It was built in 1889 (Smith et al., 2020). \U0001f5fc\n\nWould you like to know more about it?"
    )
    metric = judge(answer, rag_context=EIFFEL)
    assert (metric.score, metric.total_qualifying) == (1.0, 2)


def test_chinese_is_split_and_scored(judge: Callable[..., MetricResult]) -> None:
    metric = judge(
        "京都是日本的古都。清水寺建于778年。", contexts=[UNRELATED[0], "京都是日本的古都。清水寺建于778年。"]
    )
    assert (metric.total_qualifying, metric.entailed_count) == (2, 2)


def test_an_abstention_is_no_claim_even_if_the_context_answers(judge: Callable[..., MetricResult]) -> None:
    metric = judge("The documents provided do not contain an answer to this question.", rag_context=EIFFEL)
    assert metric.skip_reason is SkipReason.ABSTENTION


def test_an_answer_of_scraps_is_skipped(judge: Callable[..., MetricResult]) -> None:
    assert judge("? No idea what that was", contexts=[""]).skip_reason is SkipReason.RAG_CONTEXT_NULL
    assert judge("? Hm. No.", rag_context=EIFFEL).skip_reason is SkipReason.NO_QUALIFYING_SENTENCES


def test_neighbours_in_a_batch_do_not_change_a_sentence(judge: Callable[..., MetricResult]) -> None:
    claims = ["The Eiffel Tower is in Paris.", "It was built in 1889.", "Gustave Eiffel was born in the city of Dijon."]
    together = judge(" ".join(reversed(claims)), rag_context=EIFFEL).sentence_results
    alone = [judge(claim, rag_context=EIFFEL).sentence_results[0] for claim in claims]
    for one, other in zip(alone, reversed(together), strict=True):
        assert one.sentence == other.sentence
        assert one.entailment_prob == pytest.approx(other.entailment_prob, abs=1e-3)
