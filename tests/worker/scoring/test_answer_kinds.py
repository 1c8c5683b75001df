"""Answers as language models write them: what of them is held against the context, and what is said of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import Job, MetricName, ProfileName, SkipReason
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import JobScore, score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.schemas import MetricResult
    from groundwire.worker.scoring.ports import Ports

CONTEXT = "The Starter plan has 15 seats and costs 5 euros. The Team plan has 40 seats and is billed each month."
ANSWER = """Hi, I'm happy to help you with that!

## Plans and prices

The **Starter** plan has 15 seats [1].

| Plan | Seats |
|------|-------|
| Starter | 15 |
| Team | 40 |

```python
seats = plans[1].seats  # a comment of some length
```

I don't know what the largest plan costs. Yes.

Would you like to know more about the plans?"""

CASES = Path(__file__).parents[2] / "cases"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


def faithfulness(scored: JobScore) -> MetricResult:
    return scored.metrics["faithfulness"]


def test_every_unit_of_an_answer_is_listed_with_the_reason_not_to_score_it(score: Callable[..., JobScore]) -> None:
    metric = faithfulness(score(rag_context=CONTEXT, response_text=ANSWER))
    assert [(result.unscored_reason, ANSWER[result.start : result.end]) for result in metric.sentence_results] == [
        ("filler", "Hi, I'm happy to help you with that!"),
        ("heading", "Plans and prices"),
        (None, "The **Starter** plan has 15 seats [1]."),
        ("table_header", "| Plan | Seats |"),
        ("table_header", "|------|-------|"),
        (None, "| Starter | 15 |"),
        (None, "| Team | 40 |"),
        ("code", "```python\nseats = plans[1].seats  # a comment of some length\n```"),
        ("abstention", "I don't know what the largest plan costs."),
        ("too_few_words", "Yes."),
        ("question", "Would you like to know more about the plans?"),
    ]
    assert (metric.total_qualifying, metric.entailed_count) == (3, 3)


def test_the_model_reads_rows_of_a_table_with_their_headers(score: Callable[..., JobScore], nli: Any) -> None:
    score(rag_context=CONTEXT, response_text=ANSWER)
    assert {hypothesis for call in nli.calls for _, hypothesis in call} == {
        "The Starter plan has 15 seats.",
        "Plan: Starter; Seats: 15",
        "Plan: Team; Seats: 40",
    }


def test_groundedness_leaves_out_the_same(ports: Ports, make_job: Callable[..., Job]) -> None:
    job = make_job(contexts=[CONTEXT], response_text=ANSWER)
    metric = score_job(job, PROFILES[ProfileName.EVIDENCE], ports, [MetricName.GROUNDEDNESS]).metrics["groundedness"]
    assert [result.unscored_reason for result in metric.sentence_results] == [
        *("filler", "heading", None, "table_header", "table_header", None, None, "code"),
        *("abstention", "too_short", "question"),
    ]


def test_code_cites_nothing(ports: Ports, make_job: Callable[..., Job]) -> None:
    answer = "The Starter plan has 15 seats [2].\n```\nplans[1]\n```"
    job = make_job(contexts=["The sea is deep and wide.", CONTEXT], response_text=answer)
    metric = score_job(job, PROFILES[ProfileName.EVIDENCE], ports, [MetricName.GROUNDEDNESS]).metrics["groundedness"]
    assert metric.details is not None
    assert [chunk.context_index for chunk in metric.details.chunks] == [1]


def test_profile_original_takes_all_but_abstentions_for_sentences(score: Callable[..., JobScore]) -> None:
    metric = faithfulness(score(ProfileName.ORIGINAL, rag_context=CONTEXT, response_text=ANSWER))
    assert {result.unscored_reason for result in metric.sentence_results} == {None, "abstention", "too_few_words"}
    assert ANSWER[: ANSWER.index("\n")] in {r.sentence for r in metric.sentence_results if r.unscored_reason is None}


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [
        ("Sure! The tower is 330 m high.", ["too_few_words", None]),
        ("Happy to help: the tower was built in 1889.", [None]),
        ("Sure, the tower was built in 1889.", [None]),
        ("Here is a summary of the report: The tower was built in 1889.", [None]),
        ("That's a really great question! The tower was built in 1889.", ["filler", None]),
        ("Let me know if you have any further questions! \U0001f60a", ["filler"]),
        ("The tower was built in 1889, wasn't it?", [None]),
        ("Did you know that the tower was built in 1889?", [None]),
        ("When was the tower built? It was built in 1889.", ["question", None]),
        ("**Q: When was the tower built?**\n**A:** It was built in 1889.", ["question", None]),
        ('He asked the engineers: "Why is it so tall?"', [None]),
        ("The sky is blue today", [None]),
        ("# The sky is blue today", ["heading"]),
    ],
)
def test_a_sentence_with_a_claim_in_it_is_scored(
    score: Callable[..., JobScore], answer: str, reasons: list[str | None]
) -> None:
    metric = faithfulness(score(rag_context=CONTEXT, response_text=answer))
    assert [result.unscored_reason for result in metric.sentence_results] == reasons


def test_an_answer_of_filler_and_questions_has_nothing_to_score(score: Callable[..., JobScore]) -> None:
    answer = "# Answer\n\nI'd be happy to help you with that!\n\nWhich of the plans do you mean?"
    assert faithfulness(score(rag_context=CONTEXT, response_text=answer)).skip_reason == "no_qualifying_sentences"


@pytest.mark.parametrize("case", cases("abstentions.jsonl"))
def test_known_forms_of_abstentions_are_skipped(score: Callable[..., JobScore], case: dict[str, Any]) -> None:
    metric = faithfulness(score(rag_context=CONTEXT, response_text=case["text"]))
    assert metric.skip_reason is SkipReason.ABSTENTION


@pytest.mark.parametrize("case", cases("empty.jsonl"))
@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_known_forms_of_empty_contexts_are_skipped(
    score: Callable[..., JobScore], profile: ProfileName, case: dict[str, Any]
) -> None:
    metric = faithfulness(score(profile, contexts=case["contexts"], response_text=case["text"]))
    assert (metric.skip_reason, metric.score) == (SkipReason.RAG_CONTEXT_NULL, None)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("The tower is old. It is high.", None),
        ("\u00c7a co\u00fbte na\u00efvement cinq \u20ac.", None),
        ("\u6e05\u6c34\u5bfa\u5efa\u4e8e778\u5e74\u3002", "1 of 1 sentence is not in Latin script (Han 1)"),
        (
            "# \u041f\nIt is old. \u041e\u043d. \u0645\u0631\u062d\u0628\u0627.",
            "2 of 3 sentences are not in Latin script (Cyrillic 1, Arabic 1)",
        ),
        ("The temple \u6e05\u6c34\u5bfa is old.", None),
        (
            "\u16a0\u16a2\u16a6 is written here\n\n\u16a0\u16a2\u16a6\u16a8\u16b1\u16b2",
            "1 of 2 sentences is not in Latin script (other 1)",
        ),
    ],
)
def test_sentences_in_other_scripts_are_counted(score: Callable[..., JobScore], answer: str, said: str | None) -> None:
    assert score(rag_context=CONTEXT, response_text=answer).foreign_scripts == said


def test_an_answer_that_nobody_splits_says_nothing_of_its_scripts(score: Callable[..., JobScore]) -> None:
    assert score(rag_context="", response_text="\u6e05\u6c34\u5bfa\u5efa\u4e8e778\u5e74\u3002").foreign_scripts is None
