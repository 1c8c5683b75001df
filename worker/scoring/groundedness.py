"""Groundedness: how far an answer's sentences stand on the chunks that it cites."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from groundwire.models.calibration import Calibration
from groundwire.schemas import (
    GroundednessDetails,
    GroundednessMode,
    Label,
    MetricName,
    MetricResult,
    SentenceGrounding,
    SentenceResult,
    UsedChunk,
)
from groundwire.worker.scoring.attribution import Attribution, attribute, cited_by
from groundwire.worker.scoring.contradiction import Verdict, is_settled, verdict
from groundwire.worker.scoring.grounds import (
    candidates_of,
    chunks_held_against,
    context_of,
    sentences_with_limits,
)
from groundwire.worker.scoring.outcome import evidence_of, judged, scored, skipped, unscored
from groundwire.worker.scoring.reasons import groundedness_reason, nothing_to_ground_reason
from groundwire.worker.scoring.skip_rules import GROUNDEDNESS_RULES, first_that_applies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scoring.asking import NliAsker
    from groundwire.worker.scoring.case import Case, Sentence
    from groundwire.worker.scoring.premises import Premise

DIGITS = 6
"""Decimals of a calibrated value: the rest is noise of single-precision arithmetic."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Grounded:
    """A sentence that counts, and all that is known of it.

    Attributes:
        place: Its position in the answer, from 0.
        sentence: The sentence.
        raw: Relevance of the best passage, as the model gives it.
        calibrated: The same between floor and ceiling.
        best: The best passage, or chunk.
        verdict: What the NLI model says; None without it.
    """

    place: int
    sentence: Sentence
    raw: float
    calibrated: float
    best: Premise
    verdict: Verdict | None

    def result(self) -> SentenceResult:
        if self.verdict is not None:
            return judged(self.sentence, self.verdict.label, self.verdict.deciding)
        return unscored(self.sentence, None).model_copy(update={"evidence": evidence_of(self.best.passages)})


def groundedness(case: Case, asker: NliAsker) -> MetricResult:
    """Compute the metric, or say which rule keeps it from being computed.

    A sentence counts as much as the most relevant passage of the chunks is relevant to it: 0 at the floor, 1 at the
    ceiling. The score is the mean, or 0 if the NLI model is asked and finds one of the sentences contradicted.
    """
    config = case.profile.grounding
    rule = first_that_applies(GROUNDEDNESS_RULES, case) if config.skips else None
    if rule is not None:
        return skipped(case, MetricName.GROUNDEDNESS, rule, sentences_with_limits(case) if case.is_split else ())
    sentences = sentences_with_limits(case)
    chunks = chunks_held_against(case)
    calibration = _calibration(case)
    grounded = _ground(case, asker, sentences, chunks, calibration)
    attribution = None
    if case.citations.exist and (verdicts := {one.place: one.verdict for one in grounded if one.verdict}):
        attribution = attribute(case, asker, {place: sentences[place].claim for place in verdicts}, verdicts)
    results = {one.place: one.result() for one in grounded}
    contradicted = any(result.label is Label.CONTRADICTION for result in results.values())
    details = _details(case, calibration, chunks, grounded, attribution)
    return scored(
        case,
        MetricName.GROUNDEDNESS,
        0.0 if contradicted or not grounded else round(fmean(one.calibrated for one in grounded), DIGITS),
        reason=groundedness_reason(details, results)
        if grounded
        else nothing_to_ground_reason(chunks=len(chunks), min_chars=config.min_sentence_chars),
        sentences=[
            results.get(place) or unscored(sentence, sentence.unscored_reason)
            for place, sentence in enumerate(sentences)
        ],
        details=details,
    )


def _calibration(case: Case) -> Calibration:
    """Give the profile's floor and ceiling; what it leaves open is the model's."""
    config, fitted = case.profile.grounding, case.relevance.model.calibration
    return Calibration(
        fitted.floor if config.floor is None else config.floor,
        fitted.ceiling if config.ceiling is None else config.ceiling,
    )


def _ground(
    case: Case, asker: NliAsker, sentences: Sequence[Sentence], chunks: tuple[int, ...], calibration: Calibration
) -> list[_Grounded]:
    counted = [place for place, sentence in enumerate(sentences) if sentence.unscored_reason is None]
    if not (counted and chunks):
        return []
    claims = [sentences[place].claim for place in counted]
    standings = [_standing(case, chunks, claim) for claim in claims]
    verdicts: list[Verdict | None] = [None] * len(claims)
    if case.profile.grounding.mode is GroundednessMode.RERANK_NLI:
        source = case.premise_source_of(context_of(case, *chunks))
        to_hold = [(claim, source.premises(claim)) for claim in claims]
        held = asker.hold(to_hold, until=partial(is_settled, case))
        verdicts = [verdict(case, claim, source, own, calibration) for claim, own in zip(claims, held, strict=True)]
    grounded = []
    for place, (raw, best), said in zip(counted, standings, verdicts, strict=True):
        calibrated = round(float(calibration.calibrate(raw)), DIGITS)
        grounded.append(_Grounded(place, sentences[place], raw, calibrated, best, said))
        _log.debug(
            "groundedness of sentence %d: raw %.4f, calibrated %.4f, label %s, mode %s",
            place + 1,
            raw,
            calibrated,
            said and said.label,
            case.profile.grounding.mode,
        )
    return grounded


def _standing(case: Case, chunks: tuple[int, ...], claim: str) -> tuple[float, Premise]:
    """Give the raw relevance of the most relevant passage, and that passage."""
    candidates = candidates_of(case, chunks, claim)
    [raw] = case.relevance.raw([claim], [candidate.text for candidate in candidates])
    best = int(raw.argmax())
    return float(raw[best]), candidates[best]


def _details(
    case: Case,
    calibration: Calibration,
    chunks: Sequence[int],
    grounded: Sequence[_Grounded],
    attribution: Attribution | None,
) -> GroundednessDetails:
    ids = {field.context_index: field.context_id for field in case.context}
    model = case.relevance.model
    return GroundednessDetails(
        mode=case.profile.grounding.mode,
        relevance_model_id=model.model_id,
        relevance_model_sha256=model.model_sha256,
        floor=calibration.floor,
        ceiling=calibration.ceiling,
        chunks=tuple(UsedChunk(context_index=chunk, context_id=ids[chunk]) for chunk in chunks),
        cites=case.citations.exist,
        unresolved_citations=case.citations.unresolved,
        sentences=tuple(_grounding(case, one, attribution) for one in grounded),
        citation_precision=attribution.precision if attribution else None,
        citation_recall=attribution.recall if attribution else None,
    )


def _grounding(case: Case, one: _Grounded, attribution: Attribution | None) -> SentenceGrounding:
    supporting = attribution.supporting[one.place] if attribution else None
    cited = cited_by(case, one.place)
    return SentenceGrounding(
        sentence=one.place,
        raw=one.raw,
        calibrated=one.calibrated,
        best_chunk=one.best.passages[0].source.context_index,
        cited=cited,
        supporting=supporting,
        entailed_by=one.verdict.entailed_by if one.verdict else None,
        citation_supports=bool(supporting) if supporting is not None and (cited or case.citations.listed) else None,
    )
