from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import Job, MetricName, ProfileName, SkipReason, Status, UnscoredReason
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import JobScore, score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.ports import Ports

SCORABLE: dict[str, Any] = {
    "rag_context": "The harbour was dug by hand in 1870. It holds forty fishing boats in winter.",
    "response_text": "The harbour was dug by hand in 1870.",
}

# in the order in which the rules are tried
UNDER_RULE: dict[SkipReason, dict[str, Any]] = {
    SkipReason.FINISH_REASON_BLOCKED: {"finish_reason": "content_filter"},
    SkipReason.RAG_CONTEXT_NULL: {"rag_context": None},
    SkipReason.RAG_CONTEXT_TOO_SHORT: {"rag_context": "The harbour was dug by hand in 1870."},
    SkipReason.COMPLETION_TOKENS_TOO_FEW: {"completion_tokens": 9},
    SkipReason.ABSTENTION: {"response_text": "I do not know the answer to that question."},
    SkipReason.NO_QUALIFYING_SENTENCES: {"response_text": "In 1870. By hand."},
}

BOTH: dict[tuple[SkipReason, SkipReason], dict[str, Any]] = {
    # no context is too short a context as well
    (SkipReason.RAG_CONTEXT_NULL, SkipReason.RAG_CONTEXT_TOO_SHORT): {"rag_context": None},
    (SkipReason.ABSTENTION, SkipReason.NO_QUALIFYING_SENTENCES): {"response_text": "I don't know."},
}

IN_ORDER = list(UNDER_RULE)
PAIRS = list(combinations(IN_ORDER, 2))


def assert_skipped(scored: JobScore, reason: SkipReason) -> None:
    metric = scored.metrics["faithfulness"]
    assert (metric.status, metric.skip_reason, metric.score) == (Status.SKIPPED, reason, None)
    assert (metric.total_qualifying, metric.entailed_count, metric.contradicted_count) == (0, 0, 0)
    assert metric.threshold == 0.5
    assert metric.reason
    assert scored.pairs == 0
    assert "NaN" not in metric.model_dump_json()


def test_without_a_rule_that_applies_a_job_is_scored(score: Callable[..., JobScore]) -> None:
    assert score(**SCORABLE).metrics["faithfulness"].score == 1.0


@pytest.mark.parametrize("profile", MODELS_PROFILES)
@pytest.mark.parametrize("reason", IN_ORDER)
def test_each_rule_alone(score: Callable[..., JobScore], reason: SkipReason, profile: ProfileName) -> None:
    assert_skipped(score(profile, **SCORABLE | UNDER_RULE[reason]), reason)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_of_two_rules_the_earlier_one_gives_the_reason(
    score: Callable[..., JobScore], first: SkipReason, second: SkipReason
) -> None:
    fields = BOTH.get((first, second), UNDER_RULE[first] | UNDER_RULE[second])
    assert_skipped(score(**SCORABLE | fields), first)


@pytest.mark.parametrize("place", range(len(IN_ORDER) - 1))
def test_of_all_rules_from_one_on_the_first_gives_the_reason(score: Callable[..., JobScore], place: int) -> None:
    fields = dict(SCORABLE)
    for reason in reversed(IN_ORDER[place:]):
        fields |= UNDER_RULE[reason]
    assert_skipped(score(**fields), IN_ORDER[place])


@pytest.mark.parametrize("finish_reason", ["content_filter", " Content_Filter\n", "CONTENT_FILTER"])
def test_a_blocked_answer_is_recognised_whatever_case_and_blanks(
    score: Callable[..., JobScore], finish_reason: str
) -> None:
    assert_skipped(score(**SCORABLE, finish_reason=finish_reason), SkipReason.FINISH_REASON_BLOCKED)


@pytest.mark.parametrize("finish_reason", [None, "", "stop", "length", "content filter"])
def test_other_finish_reasons_block_nothing(score: Callable[..., JobScore], finish_reason: str | None) -> None:
    assert score(**SCORABLE, finish_reason=finish_reason).metrics["faithfulness"].score == 1.0


@pytest.mark.parametrize("contexts", [None, [], [""], [" ", "\n"], [{"html": "<p> </p>"}]])
def test_contexts_of_nothing_are_null(score: Callable[..., JobScore], contexts: list[Any] | None) -> None:
    scored = score(contexts=contexts, response_text="An invented answer. It has two sentences of some length.")
    assert_skipped(scored, SkipReason.RAG_CONTEXT_NULL)


def test_titles_alone_are_a_context_that_is_too_short(score: Callable[..., JobScore]) -> None:
    scored = score(contexts=[{"text": "", "title": "t" * 80}], response_text=SCORABLE["response_text"])
    assert_skipped(scored, SkipReason.RAG_CONTEXT_TOO_SHORT)


@pytest.mark.parametrize(("characters", "skipped"), [(49, True), (50, False)])
def test_the_shortest_context_that_is_scored(score: Callable[..., JobScore], characters: int, *, skipped: bool) -> None:
    context = "The harbour was dug by hand in 1870. ".ljust(characters, "x")
    metric = score(rag_context=context, response_text=SCORABLE["response_text"]).metrics["faithfulness"]
    assert (metric.skip_reason is SkipReason.RAG_CONTEXT_TOO_SHORT) is skipped


def test_tokens_are_counted_where_the_job_does_not_state_them(score: Callable[..., JobScore]) -> None:
    assert_skipped(score(**SCORABLE, completion_tokens=None), SkipReason.COMPLETION_TOKENS_TOO_FEW)
    longer = SCORABLE | {"response_text": "The harbour was dug by hand in 1870, and it holds forty boats."}
    assert score(**longer, completion_tokens=None).metrics["faithfulness"].score is not None


def test_an_empty_answer_has_too_few_tokens_or_no_sentence(score: Callable[..., JobScore]) -> None:
    empty = SCORABLE | {"response_text": ""}
    assert_skipped(score(**empty, completion_tokens=None), SkipReason.COMPLETION_TOKENS_TOO_FEW)
    assert_skipped(score(**empty, completion_tokens=50), SkipReason.NO_QUALIFYING_SENTENCES)


def test_skipped_answers_list_their_sentences_once_they_were_looked_at(score: Callable[..., JobScore]) -> None:
    metric = score(**SCORABLE | {"response_text": "In 1870. By hand."}).metrics["faithfulness"]
    assert [sentence.unscored_reason for sentence in metric.sentence_results] == [UnscoredReason.TOO_FEW_WORDS] * 2
    metric = score(**SCORABLE | UNDER_RULE[SkipReason.ABSTENTION]).metrics["faithfulness"]
    assert [sentence.unscored_reason for sentence in metric.sentence_results] == [UnscoredReason.ABSTENTION]


def test_the_limits_are_settings(ports: Ports, make_job: Callable[..., Job]) -> None:
    profile = PROFILES[ProfileName.EVIDENCE].with_limits(
        min_context_chars=0, min_completion_tokens=0, min_sentence_words=1
    )
    job = make_job(rag_context="Dug in 1870.", response_text="1870. [1]", completion_tokens=0)
    metric = score_job(job, profile, ports, [MetricName.FAITHFULNESS]).metrics["faithfulness"]
    assert metric.total_qualifying == 1
