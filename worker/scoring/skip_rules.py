"""The rules by which a job is not scored. The first that applies gives the reason: their order is part of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.schemas import SkipReason
from groundwire.worker.scoring.context import text_length
from groundwire.worker.scoring.grounds import chunks_held_against, sentences_with_limits
from groundwire.worker.scoring.relatedness import query_of
from groundwire.worker.scoring.words import has_word

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


def _no_query(case: Case) -> bool:
    return not has_word(query_of(case))


def _no_reference(case: Case) -> bool:
    return not has_word(case.job.reference_answer or "")


def _says_nothing(case: Case) -> bool:
    return not has_word(case.job.response_text)


def _no_reference_qualifies(case: Case) -> bool:
    return _nothing_qualifies(case.of_reference)


def _no_cited_chunk(case: Case) -> bool:
    return not chunks_held_against(case)


BLOCKED = SkipRule(
    SkipReason.FINISH_REASON_BLOCKED,
    _blocked,
    lambda _: "The answer was stopped by a content filter.",
)

RULES_ON_CONTEXT: Sequence[SkipRule] = (
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
)

QUERY_MISSING = SkipRule(
    SkipReason.QUERY_MISSING,
    _no_query,
    lambda _: "The job has no query, or no word in it.",
)

TOO_FEW_TOKENS = SkipRule(
    SkipReason.COMPLETION_TOKENS_TOO_FEW,
    _too_few_tokens,
    lambda case: (
        f"The answer has {case.completion_tokens} tokens, "
        f"fewer than the {case.profile.min_completion_tokens} that are needed."
    ),
)

RULES_ON_INPUT: Sequence[SkipRule] = (BLOCKED, *RULES_ON_CONTEXT, TOO_FEW_TOKENS)
"""Rules that need no look at the answer's sentences, in order."""

ABSTENTION = SkipRule(
    SkipReason.ABSTENTION,
    _abstains,
    lambda _: "The answer claims nothing but that it can't answer.",
)

NOTHING_QUALIFIES = SkipRule(
    SkipReason.NO_QUALIFYING_SENTENCES,
    _nothing_qualifies,
    lambda case: f"No sentence of the answer makes a claim of at least {case.profile.min_sentence_words} words.",
)

FAITHFULNESS_RULES: Sequence[SkipRule] = (*RULES_ON_INPUT, ABSTENTION, NOTHING_QUALIFIES)

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


COMPLETENESS_RULES: Sequence[SkipRule] = (
    BLOCKED,
    SkipRule(
        SkipReason.REFERENCE_MISSING,
        _no_reference,
        lambda _: "The job has no reference answer, or no word in it.",
    ),
    TOO_FEW_TOKENS,
    ABSTENTION,
    SkipRule(
        SkipReason.NO_QUALIFYING_SENTENCES,
        _says_nothing,
        lambda _: "The answer has no word in it.",
    ),
    SkipRule(
        SkipReason.NO_QUALIFYING_REFERENCE,
        _no_reference_qualifies,
        lambda case: (
            f"No sentence of the reference answer makes a claim of at least {case.profile.min_sentence_words} words."
        ),
    ),
)


def rules_on_query_and_context(case: Case) -> Sequence[SkipRule]:
    """Give the rules of the metrics that hold the context against the query; they don't look at the answer.

    Where the profile gives 0 for nothing to score, only a missing query is a reason to skip.
    """
    return (*RULES_ON_CONTEXT, QUERY_MISSING) if case.profile.relatedness.skips else (QUERY_MISSING,)


def rules_on_query_and_answer(case: Case) -> Sequence[SkipRule]:
    """Give the rules of answer relevance, which doesn't look at the context; the same holds of a profile that skips."""
    if not case.profile.relatedness.skips:
        return (QUERY_MISSING,)
    return (BLOCKED, QUERY_MISSING, TOO_FEW_TOKENS, ABSTENTION, NOTHING_QUALIFIES)


def first_that_applies(rules: Sequence[SkipRule], case: Case) -> SkipRule | None:
    """Give the first rule that the job falls under; what only later rules look at is not worked out."""
    return next((rule for rule in rules if rule.applies(case)), None)
