"""Details of completeness: what the answer says of each sentence of the reference answer."""

from __future__ import annotations

from typing import Literal

from groundwire.schemas.details import Count, ResultPart, Score
from groundwire.schemas.names import (  # noqa: TC001 - pydantic reads the annotations at run time
    DiscrepancyKind,
    Label,
    UnscoredReason,
)


class AnswerSpan(ResultPart):
    """A stretch of the answer, in Unicode code points of `response_text`: `end` is one past the last."""

    start: Count
    end: Count


class ReferenceSentence(ResultPart):
    """A sentence of the reference answer. Its text is not repeated; the job has it.

    Attributes:
        start: First Unicode code point of the sentence in `reference_answer`.
        end: One past the last.
        label: Whether the answer entails it, leaves it out or contradicts it; null where it was not scored.
        entailment_prob: Probability that the answer entails it, 0..1; null where there is no label.
        neutral_prob: Probability that the answer leaves it open.
        contradiction_prob: Probability that the answer contradicts it.
        discrepancy: What rules found at odds between the two, though the model takes the one to follow from the other.
        unscored_reason: Why it was not scored; null where it was.
        answer_spans: The answer's sentences that decided, or came nearest, in reading order.
    """

    start: Count
    end: Count
    label: Label | None = None
    entailment_prob: Score | None = None
    neutral_prob: Score | None = None
    contradiction_prob: Score | None = None
    discrepancy: DiscrepancyKind | None = None
    unscored_reason: UnscoredReason | None = None
    answer_spans: tuple[AnswerSpan, ...] = ()


class CompletenessDetails(ResultPart):
    """What completeness was made from.

    Attributes:
        reference_sentences: Every sentence of the reference answer, in order.
    """

    kind: Literal["completeness"] = "completeness"
    reference_sentences: tuple[ReferenceSentence, ...] = ()
