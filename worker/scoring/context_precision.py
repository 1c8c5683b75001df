"""Context precision: which share of the chunks is relevant to the query, and whether these come first."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from groundwire.schemas import ChunkEvaluation, ContextPrecisionDetails, MetricName, MetricResult
from groundwire.worker.scoring.outcome import scored, skipped
from groundwire.worker.scoring.relatedness import DIGITS, chunk_ids, model_fields, related_to_query
from groundwire.worker.scoring.relevance_reasons import context_precision_reason
from groundwire.worker.scoring.skip_rules import first_that_applies, rules_on_query_and_context

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.asking import NliAsker
    from groundwire.worker.scoring.case import Case


def context_precision(case: Case, _: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    A chunk is as relevant as its most relevant sentence. One without text took a place in the prompt and is relevant to
    nothing.
    """
    rule = first_that_applies(rules_on_query_and_context(case), case)
    if rule is not None:
        return skipped(case, MetricName.CONTEXT_PRECISION, rule)
    limit = case.profile.relatedness.relevant_from
    related = related_to_query(case)
    best = {chunk: max(one.score for one in sentences) for chunk, sentences in related.items()}
    evaluations = tuple(
        ChunkEvaluation(
            index=chunk, context_id=name, relevant=best.get(chunk, 0.0) >= limit, score=best.get(chunk, 0.0)
        )
        for chunk, name in enumerate(chunk_ids(case))
    )
    verdicts = [one.relevant for one in evaluations]
    details = ContextPrecisionDetails(
        **model_fields(case),
        relevant_from=limit,
        mean_relevance=round(fmean(one.score for one in evaluations), DIGITS) if evaluations else 0.0,
        mean_precision_at_k=mean_precision_at_k(verdicts),
        evaluations=evaluations,
    )
    return scored(
        case,
        MetricName.CONTEXT_PRECISION,
        verdicts.count(True) / len(verdicts) if verdicts else 0.0,
        reason=context_precision_reason(details),
        details=details,
    )


def mean_precision_at_k(verdicts: Sequence[bool]) -> float:
    """Give the mean, over the ranks k of the relevant chunks, of the share of relevant ones among the first k.

    That is the average precision of Manning, Raghavan and Schütze, "Introduction to Information Retrieval" (2008),
    section 8.4, over the chunks that were retrieved: 1 where no irrelevant chunk precedes a relevant one, 0 where none
    is relevant.

    Args:
        verdicts: Whether each chunk is relevant, the first in rank first.
    """
    ranks = [rank for rank, relevant in enumerate(verdicts, 1) if relevant]
    return fmean(found / rank for found, rank in enumerate(ranks, 1)) if ranks else 0.0
