"""Says in a sentence or two why a judged metric has its score, by numbers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import ClaimVerdict
from groundwire.worker.scoring.reasons import listed, plural

if TYPE_CHECKING:
    from groundwire.schemas import (
        JudgedAnswerRelevanceDetails,
        JudgedContextPrecisionDetails,
        JudgedFaithfulnessDetails,
    )


def faithfulness_reason(details: JudgedFaithfulnessDetails) -> str:
    """Say how many claims the judge denied, and which."""
    total = len(details.claims)
    denied = {n: str(n) for n, one in enumerate(details.claims, 1) if one.verdict is ClaimVerdict.NO}
    if not denied:
        return f"The judge denied none of the answer's {total} {plural('claim', total)}."
    first = f"The judge denied {len(denied)} of the answer's {total} {plural('claim', total)}"
    return f"{first}: {plural('claim', len(denied))} {listed(denied)}."


def context_precision_reason(details: JudgedContextPrecisionDetails) -> str:
    """Say how many chunks the judge found relevant, and which not."""
    total = len(details.evaluations)
    not_relevant = {one.index: str(one.index + 1) for one in details.evaluations if not one.relevant}
    count = total - len(not_relevant)
    first = f"The judge found {count} of {total} {plural('chunk', total)} relevant to the query"
    if count in (0, total):
        return f"{first}."
    return f"{first}, not {plural('chunk', len(not_relevant))} {listed(not_relevant)}."


def answer_relevance_reason(details: JudgedAnswerRelevanceDetails) -> str:
    """Say how near the questions that the answer would answer are to the query."""
    similar = [one.similarity for one in details.questions]
    return (
        f"The query is like the {len(similar)} {plural('question', len(similar))} that the answer would answer by "
        f"{sum(similar) / len(similar):.2f} on average, {min(similar):.2f} at least."
    )
