"""The rules by which a job is not scored. The first that applies gives the reason: their order is part of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.schemas import SkipReason
from groundwire.worker.scoring.context import text_length
from groundwire.worker.scoring.grounds import chunks_held_against, sentences_with_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.worker.scoring.case import Case

BLOCKED_FINISH_REASONS = frozenset({"content_filter"})
"""Finish reasons of an answer that a filter stopped, compared trimmed and in lower case."""


@dataclass(frozen=True, slots=True)
class SkipRule:
    """One rule.

    Attributes:
        reason: What the result says.
        applies: Whether the job falls under it.
        explain: One sentence for the result; never any text of the job.
    """

    reason: SkipReason
    applies: Callable[[Case], bool]
    explain: Callable[[Case], str]


def _blocked(case: Case) -> bool:
    return (case.job.finish_reason or "").strip().lower() in BLOCKED_FINISH_REASONS


def _no_context(case: Case) -> bool:
    return not case.context


def _context_too_short(case: Case) -> bool:
    return text_length(case.context) < case.profile.min_context_chars


def _too_few_tokens(case: Case) -> bool:
    return case.completion_tokens < case.profile.min_completion_tokens


def _abstains(case: Case) -> bool:
    return case.is_abstention


def _nothing_qualifies(case: Case) -> bool:
    return all(sentence.unscored_reason is not None for sentence in case.sentences)


def _nothing_long_enough(case: Case) -> bool:
    return all(sentence.unscored_reason is not None for sentence in sentences_with_limits(case))


def _no_cited_chunk(case: Case) -> bool:
    return not chunks_held_against(case)


RULES_ON_INPUT: Sequence[SkipRule] = (
    SkipRule(
        SkipReason.FINISH_REASON_BLOCKED,
        _blocked,
        lambda _: "The answer was stopped by a content filter.",
    ),
    SkipRule(
        SkipReason.RAG_CONTEXT_NULL,
        _no_context,
        lambda _: "There is no context, or nothing but blanks in it.",
    ),
    SkipRule(
        SkipReason.RAG_CONTEXT_TOO_SHORT,
        _context_too_short,
        lambda case: (
            f"The context's texts have {text_length(case.context)} characters, "
            f"fewer than the {case.profile.min_context_chars} that are needed."
        ),
    ),
    SkipRule(
        SkipReason.COMPLETION_TOKENS_TOO_FEW,
        _too_few_tokens,
        lambda case: (
            f"The answer has {case.completion_tokens} tokens, "
            f"fewer than the {case.profile.min_completion_tokens} that are needed."
        ),
    ),
)
"""Rules that need no look at the answer's sentences, in order."""

ABSTENTION = SkipRule(
    SkipReason.ABSTENTION,
    _abstains,
    lambda _: "The answer claims nothing but that it can't answer.",
)

FAITHFULNESS_RULES: Sequence[SkipRule] = (
    *RULES_ON_INPUT,
    ABSTENTION,
    SkipRule(
        SkipReason.NO_QUALIFYING_SENTENCES,
        _nothing_qualifies,
        lambda case: f"No sentence of the answer makes a claim of at least {case.profile.min_sentence_words} words.",
    ),
)

GROUNDEDNESS_RULES: Sequence[SkipRule] = (
    *RULES_ON_INPUT,
    ABSTENTION,
    SkipRule(
        SkipReason.NO_QUALIFYING_SENTENCES,
        _nothing_long_enough,
        lambda case: (
            "No sentence of the answer makes a claim of at least "
            f"{case.profile.grounding.min_sentence_chars} characters."
        ),
    ),
    SkipRule(
        SkipReason.CITED_CHUNKS_MISSING,
        _no_cited_chunk,
        lambda _: "None of the chunks that the answer cites exists in the job and has text.",
    ),
)


def first_that_applies(rules: Sequence[SkipRule], case: Case) -> SkipRule | None:
    """Give the first rule that the job falls under; what only later rules look at is not worked out."""
    return next((rule for rule in rules if rule.applies(case)), None)
