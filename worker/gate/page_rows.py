"""A row on the page: its scores, its answer with the sentences marked by their verdict, and the evidence of each."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from groundwire.schemas import MetricName
from groundwire.worker.gate.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.schemas import Evidence, Job, SentenceResult
    from groundwire.worker.gate.report import RowReport
    from groundwire.worker.gate.scored import ScoredAnswer

JUDGED_BY = (MetricName.FAITHFULNESS, MetricName.GROUNDEDNESS)
"""Metrics with a verdict for each sentence of the answer; the first one that a row has is shown."""


def row_section(row: RowReport, scored: ScoredAnswer, *, texts: bool) -> str:
    """Write a row that opens on a click.

    Args:
        row: Its scores.
        scored: Its job and its result.
        texts: Whether query, answer and evidence are quoted.
    """
    outcomes = ", ".join(f"{name} {_outcome(row, name)}" for name in row.metrics)
    parts = [f"<details><summary>{escape(row.id)} <small>line {row.line}: {escape(outcomes)}</small></summary>"]
    parts += [f"<p>{escape(name)}: {escape(reason)}</p>" for name, reason in _reasons(scored)]
    sentences = _sentences(scored)
    if texts:
        if scored.row.job.query is not None:
            parts.append(f"<p>Query</p><blockquote>{escape(scored.row.job.query)}</blockquote>")
        marked = _marked(scored.row.job.response_text, sentences)
        parts.append(f"<p>Answer</p><blockquote>{marked}</blockquote>")
    parts += [_sentence(number, one, scored.row.job, texts=texts) for number, one in enumerate(sentences, 1)]
    return "\n".join([*parts, "</details>"])


def _outcome(row: RowReport, name: str) -> str:
    metric = row.metrics[name]
    if metric.problem is not None:
        return "in error"
    return f"skipped, {metric.skip_reason}" if metric.score is None else shown(metric.score)


def _reasons(scored: ScoredAnswer) -> Iterable[tuple[str, str]]:
    for name in scored.row.job.metrics or ():
        metric, problem = scored.metric(name), scored.problem(name)
        reason = problem if metric is None or problem is not None else metric.reason
        if reason is not None:
            yield name, reason


def _sentences(scored: ScoredAnswer) -> Sequence[SentenceResult]:
    found = (scored.metric(name) for name in JUDGED_BY)
    return next((metric.sentence_results for metric in found if metric is not None and metric.sentence_results), ())


def _marked(answer: str, sentences: Sequence[SentenceResult]) -> str:
    """Escape an answer, with a mark around each sentence that has a verdict."""
    parts, end = [], 0
    for one in sorted(sentences, key=lambda sentence: sentence.start):
        # a sentence that reaches into the one before it, as a row of a table does, is marked from where that one ends
        start = max(one.start, end)
        if one.label is None or one.end <= start:
            continue
        parts.append(escape(answer[end:start]))
        parts.append(f'<mark class="{one.label}" title="{one.label}">{escape(answer[start : one.end])}</mark>')
        end = one.end
    return "".join([*parts, escape(answer[end:])])


def _sentence(number: int, sentence: SentenceResult, job: Job, *, texts: bool) -> str:
    if sentence.label is None:
        why = sentence.unscored_reason or "no verdict"
        return f"<p>{number}. <small>characters {sentence.start} to {sentence.end}: {escape(why)}</small></p>"
    likely = f"entailment {shown(sentence.entailment_prob)}, contradiction {shown(sentence.contradiction_prob)}"
    at_odds = f", at odds: {sentence.discrepancy}" if sentence.discrepancy is not None else ""
    verdict = f'<mark class="{sentence.label}">{sentence.label}</mark> <small>{likely}{at_odds}</small>'
    quoted = f" {escape(job.response_text[sentence.start : sentence.end])}" if texts else ""
    evidence = "".join(f"<li>{_evidence(one, texts=texts)}</li>" for one in sentence.evidence)
    return f"<p>{number}. {verdict}{quoted}</p>" + (f"<ul>{evidence}</ul>" if evidence else "")


def _evidence(evidence: Evidence, *, texts: bool) -> str:
    named = f" {escape(evidence.context_id)}" if texts and evidence.context_id is not None else ""
    place = f"chunk {evidence.context_index}{named}, {evidence.field} {evidence.start} to {evidence.end}"
    # workers may be told to leave texts out of results
    quoted = f"{escape(evidence.text)} " if texts and evidence.text is not None else ""
    return f"{quoted}<small>{place}</small>"
