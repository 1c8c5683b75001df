"""Context relevance: which share of the context's sentences is relevant to the query."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from groundwire.schemas import ContextRelevanceDetails, MetricName, MetricResult, PassageRelevance
from groundwire.worker.scoring.outcome import scored, skipped
from groundwire.worker.scoring.relatedness import DIGITS, model_fields, related_to_query
from groundwire.worker.scoring.relevance_reasons import context_relevance_reason
from groundwire.worker.scoring.skip_rules import first_that_applies, rules_on_query_and_context

if TYPE_CHECKING:
    from groundwire.worker.scoring.asking import NliAsker
    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.relatedness import Related


def context_relevance(case: Case, _: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    A sentence is relevant if its calibrated relevance to the query reaches the profile's limit. One that stands in
    several chunks counts once.
    """
    rule = first_that_applies(rules_on_query_and_context(case), case)
    if rule is not None:
        return skipped(case, MetricName.CONTEXT_RELEVANCE, rule)
    unique: dict[str, Related] = {}
    for related in related_to_query(case).values():
        for one in related:
            unique.setdefault(one.sentence.text, one)
    limit = case.profile.relatedness.relevant_from
    details = ContextRelevanceDetails(
        **model_fields(case),
        relevant_from=limit,
        mean_relevance=round(fmean(one.score for one in unique.values()), DIGITS) if unique else 0.0,
        sentences=tuple(_passage(one, limit) for one in unique.values()),
    )
    relevant = sum(one.relevant for one in details.sentences)
    return scored(
        case,
        MetricName.CONTEXT_RELEVANCE,
        relevant / len(unique) if unique else 0.0,
        reason=context_relevance_reason(details, name_chunks=case.job.contexts is not None),
        details=details,
    )


def _passage(one: Related, limit: float) -> PassageRelevance:
    passage = one.sentence.passage
    return PassageRelevance(
        context_index=passage.source.context_index,
        field=passage.source.field,
        start=passage.start,
        end=passage.end,
        score=one.score,
        relevant=one.score >= limit,
    )
