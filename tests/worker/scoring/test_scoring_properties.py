from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.schemas import ProfileName, Status
from groundwire.worker.scoring.context import HEADING_SEPARATOR
from groundwire.worker.scoring.html_text import html_to_text
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.schemas import Evidence, MetricResult
    from groundwire.worker.scoring.score_job import JobScore

# the fixtures hold nothing that one example could leave to the next
any_example = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
sentences = st.sampled_from(
    [
        "The mill grinds rye and oats.",
        "The mill is not by the sea [2].",
        "**Boats** winter in the harbour here!",
        "Yes.",
        "I don't know.",
        "京都是日本的古都。",
        "- item one of the list\n- item two of the list\n",
        "Prices rose 7.5% to $3.4 m. in Q4, e.g. for rye.",
    ]
)
texts = st.lists(st.one_of(sentences, storable), max_size=6).map(" ".join)
chunks = st.fixed_dictionaries(
    {},
    optional={
        "text": texts,
        "html": texts.map(lambda text: f"<h2>On mills</h2><p>{text}<ul><li>{text}</ul>"),
        "title": texts,
        "heading_hierarchy": st.lists(texts, max_size=3),
        "description": texts,
    },
)
profiles = st.sampled_from(MODELS_PROFILES)


def faithfulness(scored: JobScore) -> MetricResult:
    return scored.metrics["faithfulness"]


def text_of(chunk: dict[str, Any], evidence: Evidence) -> str:
    """The text of the field that a piece of evidence names, from the job alone."""
    match evidence.field:
        case "heading":
            return HEADING_SEPARATOR.join(stripped for h in chunk["heading_hierarchy"] if (stripped := h.strip()))
        case "html_text":
            return html_to_text(chunk["html"])
        case other:
            text: str = chunk[other]
            return text


@any_example
@given(texts, st.lists(chunks, max_size=5), profiles, st.none() | st.integers(0, 30))
def test_a_score_is_in_range_or_missing_and_every_offset_is_exact(
    score: Callable[..., JobScore],
    answer: str,
    contexts: list[dict[str, Any]],
    profile: ProfileName,
    tokens: int | None,
) -> None:
    metric = faithfulness(score(profile, contexts=contexts, response_text=answer, completion_tokens=tokens))
    assert (metric.score is None) is (metric.status is Status.SKIPPED)
    assert metric.score is None or 0.0 <= metric.score <= 1.0
    assert not re.search("NaN|Infinity", metric.model_dump_json(exclude={"sentence_results"}))
    for result in metric.sentence_results:
        assert result.sentence == answer[result.start : result.end]
        assert (result.label is None) is (result.unscored_reason is not None)
        assert bool(result.evidence) is (result.label is not None)
        for piece in result.evidence:
            assert piece.text == text_of(contexts[piece.context_index], piece)[piece.start : piece.end] != ""


@any_example
@given(st.data())
def test_the_order_of_chunks_and_their_repetition_change_no_verdict(
    score: Callable[..., JobScore], data: st.DataObject
) -> None:
    answer = data.draw(texts)
    contexts = data.draw(st.lists(st.lists(sentences, min_size=1, max_size=4).map(" ".join), min_size=2, max_size=5))
    shuffled = data.draw(st.permutations([*contexts, contexts[0]]))
    before, after = (
        faithfulness(score(contexts=order, response_text=answer, completion_tokens=50))
        for order in (contexts, shuffled)
    )
    if before.skip_reason is None and after.skip_reason is None:  # a repeated chunk can be what makes them long enough
        assert before.score == after.score
        assert [r.entailment_prob for r in before.sentence_results] == [
            r.entailment_prob for r in after.sentence_results
        ]


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_the_same_job_gives_the_same_result_each_time(score: Callable[..., JobScore], profile: ProfileName) -> None:
    fields = {
        "rag_context": "The mill grinds rye and oats. It is by the sea and old.",
        "response_text": "The mill is by the sea.",
    }
    assert score(profile, **fields).metrics == score(profile, **fields).metrics
