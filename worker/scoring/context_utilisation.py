"""Context utilisation: which share of the chunks the answer draws on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import ChunkUse, ContextUtilisationDetails, MetricName, MetricResult
from groundwire.worker.scoring.grounds import context_of
from groundwire.worker.scoring.outcome import scored, skipped, unscored
from groundwire.worker.scoring.relatedness import calibrated, chunk_ids, model_fields
from groundwire.worker.scoring.relevance_reasons import context_utilisation_reason
from groundwire.worker.scoring.skip_rules import FAITHFULNESS_RULES, first_that_applies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.worker.scoring.asking import NliAsker
    from groundwire.worker.scoring.case import Case


def context_utilisation(case: Case, _: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    A sentence of the answer draws on every chunk that has a sentence near enough to it. Of two chunks that say the same
    both are drawn on: which of them the LLM went by can't be told.
    """
    rule = first_that_applies(FAITHFULNESS_RULES, case)
    if rule is not None:
        return skipped(case, MetricName.CONTEXT_UTILISATION, rule, case.sentences if case.is_split else ())
    limit = case.profile.relatedness.drawn_from
    claims = {
        place: sentence.claim for place, sentence in enumerate(case.sentences) if sentence.unscored_reason is None
    }
    details = ContextUtilisationDetails(
        **model_fields(case),
        drawn_from=limit,
        chunks=tuple(_use(case, chunk, name, claims, limit) for chunk, name in enumerate(chunk_ids(case))),
    )
    return scored(
        case,
        MetricName.CONTEXT_UTILISATION,
        sum(chunk.used for chunk in details.chunks) / len(details.chunks),
        reason=context_utilisation_reason(details),
        sentences=[unscored(sentence, sentence.unscored_reason) for sentence in case.sentences],
        details=details,
    )


def _use(case: Case, chunk: int, name: str | None, claims: Mapping[int, str], limit: float) -> ChunkUse:
    """Find the sentences that draw on a chunk; on one without text nothing does."""
    nearest = dict.fromkeys(claims, 0.0)
    index = case.evidence_of(context_of(case, chunk))
    for place, claim in claims.items():
        passages = [sentence.text for sentence in index.best(claim, case.profile.grounding.max_candidates)]
        if passages:
            nearest[place] = float(calibrated(case, [claim], passages).max())
    drawing = tuple(place for place, score in nearest.items() if score >= limit)
    return ChunkUse(index=chunk, context_id=name, used=bool(drawing), score=max(nearest.values()), sentences=drawing)
