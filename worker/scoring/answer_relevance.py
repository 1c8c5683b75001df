"""Answer relevance: how near the answer's sentences are to the query."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from groundwire.schemas import AnswerRelevanceDetails, MetricName, MetricResult, SentenceRelevance, UnscoredReason
from groundwire.worker.scoring.outcome import scored, skipped, unscored
from groundwire.worker.scoring.relatedness import DIGITS, model_fields, query_of
from groundwire.worker.scoring.relevance_reasons import answer_relevance_reason
from groundwire.worker.scoring.skip_rules import first_that_applies, rules_on_query_and_answer

if TYPE_CHECKING:
    from groundwire.worker.scoring.asking import NliAsker
    from groundwire.worker.scoring.case import Case

COUNTED = frozenset({None, UnscoredReason.ABSTENTION})
"""What faithfulness says of the sentences that count here: those it scores, and beside them the evasive ones."""


def answer_relevance(case: Case, _: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    The score is the mean of the sentences' calibrated relevance to the query. A sentence that only says that it can't
    answer counts 0: it may well repeat the query's words.
    """
    rule = first_that_applies(rules_on_query_and_answer(case), case)
    if rule is not None:
        return skipped(case, MetricName.ANSWER_RELEVANCE, rule, case.sentences if case.is_split else ())
    counted = [place for place, one in enumerate(case.sentences) if one.unscored_reason in COUNTED]
    claims = [case.sentences[place].claim for place in counted]
    [raw] = case.relevance.raw([query_of(case)], claims)
    near = case.relevance.model.calibration.calibrate(raw).tolist()
    sentences = []
    for place, own, calibrated in zip(counted, raw.tolist(), near, strict=True):
        evasive = case.sentences[place].unscored_reason is UnscoredReason.ABSTENTION
        sentences.append(
            SentenceRelevance(
                sentence=place, raw=own, calibrated=0.0 if evasive else round(calibrated, DIGITS), evasive=evasive
            )
        )
    details = AnswerRelevanceDetails(**model_fields(case), sentences=tuple(sentences))
    return scored(
        case,
        MetricName.ANSWER_RELEVANCE,
        round(fmean(one.calibrated for one in sentences), DIGITS) if sentences else 0.0,
        reason=answer_relevance_reason(details),
        sentences=[
            unscored(sentence, None if place in counted else sentence.unscored_reason)
            for place, sentence in enumerate(case.sentences)
        ],
        details=details,
    )
