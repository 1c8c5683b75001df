"""The report for people, as Markdown: tables, plots, and the rows that the verdict gets wrong with their evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.schemas import Label
from groundwire.worker.evaluate.figure_cells import COLUMNS, cells, notes, shown
from groundwire.worker.evaluate.figures import worst_misses
from groundwire.worker.evaluate.report import scorer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groundwire.schemas import SentenceResult
    from groundwire.worker.evaluate.figures import Figures
    from groundwire.worker.evaluate.report import Evaluated
    from groundwire.worker.evaluate.scoring_run import ScoredRow

MISSES_SHOWN = 10
"""Of either kind: as many as somebody reads."""

QUOTED_CHARS = 400
"""Length at which a sentence or a passage is cut."""

HOW_MEASURED = """\
Supported is the positive class. A row's **value** is the lowest probability of entailment among its sentences. ROC AUC,
the expected calibration error (ECE) and the best threshold go by it. Balanced accuracy and F1 are those of the verdict
as shipped, which takes a row for supported when each of its sentences has the label entailment. Best accuracy is the
balanced accuracy with the threshold beside it, which is fitted to the very rows that it is measured on: a bound, no
promise. No row is skipped for its length."""

SHOWN_DIGITS = 12
"""Digits of a hash by which a person tells two of them apart."""

_MARKS = re.compile(r"([\\`*_\[\]|<>~&$])")


def markdown_report(
    evaluated: Sequence[Evaluated], plots: Sequence[Mapping[str, str]], *, label_field: str, texts: bool
) -> str:
    """Write the report.

    Args:
        evaluated: The files.
        plots: The plots of each file, title to the name of a file beside the report.
        label_field: The field that held the labels.
        texts: Whether sentences and evidence are quoted.
    """
    scorer = scorer_of(evaluated)
    lines = ["# Evaluation of the verdict", ""]
    if scorer is not None:
        model = f"model {escaped(scorer.model_id)} ({scorer.model_sha256[:SHOWN_DIGITS]})"
        profile = f"profile {scorer.profile} ({scorer.config_hash[:SHOWN_DIGITS]})"
        lines += [f"Groundwire {scorer.version}, {profile}, {model}, labels from {escaped(label_field)}.", ""]
    lines += [HOW_MEASURED, "", *_table("file", [(one.dataset.name, one.figures) for one in evaluated])]
    for one, drawn in zip(evaluated, plots, strict=True):
        lines += _section(one, drawn, texts=texts)
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Give a text on one line in which Markdown and HTML find no marks: what it quotes is anybody's."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return _MARKS.sub(r"\\\1", " ".join(line.split()))


def _section(one: Evaluated, plots: Mapping[str, str], *, texts: bool) -> list[str]:
    lines = ["", f"## {escaped(one.dataset.name)}", ""]
    for note in notes(one):
        lines += [escaped(note), ""]
    lines += _confusion(one.figures)
    if one.sources:
        lines += ["", "### By source", "", *_table("source", list(one.sources.items()))]
    if plots:
        lines += ["", *(f"![{title}]({name})" for title, name in plots.items())]
    passed, alarms = worst_misses(one.scored, MISSES_SHOWN)
    lines += _misses("Unsupported, but taken for supported", passed, texts=texts)
    lines += _misses("Supported, but not taken for it", alarms, texts=texts)
    return lines


def _confusion(figures: Figures) -> list[str]:
    counts = figures.shipped.confusion
    return [
        "| supported by people | taken for supported | not taken for it | found |",
        "|---|---:|---:|---:|",
        f"| yes | {counts.true_supported:,} | {counts.false_unsupported:,} | {shown(counts.supported_found)} |",
        f"| no | {counts.false_supported:,} | {counts.true_unsupported:,} | {shown(counts.unsupported_found)} |",
    ]


def _table(first: str, named: Iterable[tuple[str, Figures]]) -> list[str]:
    lines = [f"| {first} | {' | '.join(COLUMNS)} |", f"|---|{'---:|' * len(COLUMNS)}"]
    return lines + [f"| {escaped(name)} | {' | '.join(cells(figures))} |" for name, figures in named]


def _misses(title: str, rows: Sequence[ScoredRow], *, texts: bool) -> list[str]:
    if not rows:
        return []
    lines = ["", f"### {title}", "", "The farthest off come first, each with the sentence that decided.", ""]
    for scored in rows:
        lines += [f"- **{escaped(scored.row.name)}**, value {shown(scored.value)}{_kind(scored)}"]
        decisive = _decisive(scored)
        if texts and decisive is not None:
            lines += [f"  - sentence: {_quoted(decisive.sentence)}"]
            lines += [f"  - evidence: {_quoted(piece.text)}" for piece in decisive.evidence]
    return lines


def _kind(scored: ScoredRow) -> str:
    """What the decisive sentence was taken for, or why there is none."""
    decisive = _decisive(scored)
    if decisive is None or decisive.label is None:
        return f", nothing to score: {scored.skip_reason}"
    unsupported = sum(s.label not in (None, Label.ENTAILMENT) for s in _sentences(scored))
    probabilities = f"neutral {shown(decisive.neutral_prob)}, contradiction {shown(decisive.contradiction_prob)}"
    more = f"; {unsupported} sentences are not entailed" if unsupported > 1 else ""
    return f", {decisive.label} ({probabilities}){more}"


def _decisive(scored: ScoredRow) -> SentenceResult | None:
    """The sentence with the lowest probability of entailment, from which the row has its value."""
    judged = [s for s in _sentences(scored) if s.entailment_prob is not None]
    return min(judged, key=lambda s: s.entailment_prob or 0.0, default=None)


def _sentences(scored: ScoredRow) -> Sequence[SentenceResult]:
    return scored.metric.sentence_results if scored.metric else ()


def _quoted(text: str | None) -> str:
    if text is None:
        return "(text left out)"
    return escaped(text if len(text) <= QUOTED_CHARS else text[: QUOTED_CHARS - 1] + "…")
