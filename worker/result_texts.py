"""Results without texts: where a deployment keeps texts to itself, and where a result would be too large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groundwire.schemas import JudgedDetails, JudgedFaithfulnessDetails
from groundwire.worker.judge.reasons import faithfulness_reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.schemas import MetricResult, Result, SentenceResult


def without_texts(result: Result) -> Result:
    """Return the result without the texts of sentences and evidence, and without what a judge wrote.

    Offsets stay, and so do ids and the rest of the details.
    """
    result = _each_sentence(_each_sentence(result, _drop_evidence_texts), _drop_sentence)
    return _each_metric(result, _drop_judge_texts)


def fit(result: Result, max_bytes: int) -> Result:
    """Return the result as it is where its JSON fits into `max_bytes`, else with the least worth keeping dropped.

    What goes, in this order and no more of it than needed: a judge's raw responses, the texts of evidence, the
    sentences, the list of sentence results, the metrics' details, the attributes that were carried through. A warning
    says what is gone.
    Scores, counts and ids always stay.
    """
    dropped: list[str] = []
    fitted = result
    for what, drop in _DROPS:
        if len(fitted.model_dump_json().encode()) <= max_bytes:
            break
        smaller = drop(result)
        if smaller == result:
            continue
        result = smaller
        dropped.append(what)
        warning = f"the result exceeded {max_bytes:,} bytes; dropped: {', '.join(dropped)}"
        fitted = result.model_copy(update={"warnings": (*result.warnings, warning)})
    return fitted


def _each_sentence(result: Result, change: Callable[[SentenceResult], dict[str, Any]]) -> Result:
    def changed(metric: MetricResult) -> dict[str, Any]:
        sentences = tuple(sentence.model_copy(update=change(sentence)) for sentence in metric.sentence_results)
        return {"sentence_results": sentences}

    return _each_metric(result, changed)


def _each_metric(result: Result, change: Callable[[MetricResult], dict[str, Any]]) -> Result:
    metrics = {name: metric.model_copy(update=change(metric)) for name, metric in result.metrics.items()}
    return result.model_copy(update={"metrics": metrics})


def _drop_evidence_texts(sentence: SentenceResult) -> dict[str, Any]:
    return {"evidence": tuple(piece.model_copy(update={"text": None}) for piece in sentence.evidence)}


def _drop_sentence(_: SentenceResult) -> dict[str, Any]:
    return {"sentence": None}


def _drop_responses(metric: MetricResult) -> dict[str, Any]:
    details = metric.details
    if not isinstance(details, JudgedDetails):
        return {}
    return {"details": details.model_copy(update={"judge": details.judge.without_texts()})}


def _drop_judge_texts(metric: MetricResult) -> dict[str, Any]:
    details = metric.details
    if not isinstance(details, JudgedDetails):
        return {}
    reason = metric.reason
    if isinstance(details, JudgedFaithfulnessDetails) and metric.score is not None:
        reason = faithfulness_reason(details)  # the judge's own quotes claims
    return {"details": details.without_texts(), "reason": reason}


_DROPS: tuple[tuple[str, Callable[[Result], Result]], ...] = (
    ("responses of the judge", lambda result: _each_metric(result, _drop_responses)),
    ("texts of evidence", lambda result: _each_sentence(result, _drop_evidence_texts)),
    ("sentences", lambda result: _each_sentence(result, _drop_sentence)),
    ("sentence_results", lambda result: _each_metric(result, lambda _: {"sentence_results": ()})),
    ("details", lambda result: _each_metric(result, lambda _: {"details": None})),
    ("attributes", lambda result: result.model_copy(update={"attributes": {}})),
)
