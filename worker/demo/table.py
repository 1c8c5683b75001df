"""Results of the samples as a table for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.box import HORIZONTALS
from rich.table import Table
from rich.text import Text

from groundwire.schemas import Label, MetricName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundwire.schemas import MetricResult, Result, SentenceResult

EVIDENCE_CHARS = 160
"""Three lines of the column: enough to see what the sentence was held against."""

LEFT_OUT = "(text left out)"
"""What stands for a text where the settings keep texts out of results."""


def results_table(results: Iterable[Result]) -> Table:
    """Return one row for each result: faithfulness, label counts, groundedness, composite, and what is amiss."""
    table = Table(
        title="The sample answers", title_justify="left", show_lines=True, box=HORIZONTALS, padding=(0, 1, 0, 0)
    )
    table.add_column("trace", no_wrap=True)
    table.add_column("faithful", justify="right", no_wrap=True)
    table.add_column("labels", no_wrap=True)
    table.add_column("grounded", justify="right", no_wrap=True)
    table.add_column("overall", justify="right", no_wrap=True)
    table.add_column("skip reason, or first unsupported sentence and its nearest evidence", ratio=1)
    for result in results:
        metric = result.metrics[MetricName.FAITHFULNESS]
        overall = None if result.composite is None else result.composite.score
        table.add_row(
            Text(result.trace_id),
            _score(metric),
            _labels(metric),
            _score(result.metrics.get(MetricName.GROUNDEDNESS)),
            _number(overall, "bold"),
            _why(metric),
        )
    return table


def _score(metric: MetricResult | None) -> Text:
    if metric is None or metric.score is None:
        return _number(None, "")
    return _number(metric.score, "green" if metric.score >= (metric.threshold or 0.0) else "red")


def _number(score: float | None, style: str) -> Text:
    return Text("-", style="dim") if score is None else Text(f"{score:.2f}", style=style)


def _labels(metric: MetricResult) -> Text:
    """Sentences that are supported, contradicted, and neither."""
    if metric.score is None:
        return Text("-", style="dim")
    neutral = metric.total_qualifying - metric.entailed_count - metric.contradicted_count
    return Text(f"{metric.entailed_count}✓ {metric.contradicted_count}✗ {neutral}?")


def _why(metric: MetricResult) -> Text:
    if metric.error is not None:
        return Text(f"error {metric.error.code}: {metric.error.message}", style="red")
    if metric.skip_reason is not None:
        return Text(f"skipped: {metric.skip_reason}", style="dim")
    unsupported = next((s for s in metric.sentence_results if s.label not in (None, Label.ENTAILMENT)), None)
    return Text("") if unsupported is None else _sentence(unsupported)


def _sentence(sentence: SentenceResult) -> Text:
    mark = "✗" if sentence.label is Label.CONTRADICTION else "?"
    claim = _one_line(sentence.sentence or LEFT_OUT)
    text = Text(f"{mark} {claim}")
    pieces = [_one_line(piece.text or LEFT_OUT) for piece in sentence.evidence]
    if pieces:
        nearest = max(pieces, key=lambda piece: len(_words(piece) & _words(claim)))
        shown = nearest if len(nearest) <= EVIDENCE_CHARS else nearest[: EVIDENCE_CHARS - 1].rstrip() + "…"
        text.append(f"\n↳ {shown}", style="dim")
    return text


def _words(text: str) -> set[str]:
    """Words by which the piece that is about the claim is told from its neighbours."""
    return set(re.findall(r"\w+", text.casefold()))


def _one_line(text: str) -> str:
    return " ".join(text.split())
