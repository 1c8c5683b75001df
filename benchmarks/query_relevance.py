"""How well the relevance metrics tell a job's own texts from another's: `python benchmarks/query_relevance.py FILES`.

FILES are labelled rows as `groundwire evaluate` reads them, with `query`, `context`, `response` and `supported`; rows
without a query are left out. Each row is scored three times under profile `evidence`, its skip rules at their lowest:

- as it is;
- with the context of another row: what ranks the two is the mean relevance of the sentences (context relevance) or of
  the chunks (context precision), of which the scores are the shares above the limit;
- with the query of that row: what ranks the two is the score of answer relevance.

And once with both contexts, for context utilisation: the row's own chunks are to be drawn on, the others not. The other
row is the next in a drawn order that has another query and another context.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from groundwire.models.fit_relevance import quantile, roc_auc
from groundwire.schemas import (
    Chunk,
    ContextPrecisionDetails,
    ContextRelevanceDetails,
    ContextUtilisationDetails,
    MetricName,
    ProfileName,
)
from groundwire.worker.evaluate.dataset import read_dataset
from groundwire.worker.scorer import JobScorer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.schemas import Job, MetricDetails
    from groundwire.worker.evaluate.dataset import LabelledRow

SEED = 0
"""Of the order in which rows are paired, so that a measurement can be repeated."""

FOREIGN_SHARE = 0.99
"""The limit of relevance lies where so many of the sentences of foreign contexts are below it."""

METRICS = (MetricName.CONTEXT_RELEVANCE, MetricName.CONTEXT_PRECISION)

SETTINGS = {
    "GROUNDWIRE_THREADS": "1",
    "GROUNDWIRE_MIN_CONTEXT_CHARS": "0",
    "GROUNDWIRE_MIN_COMPLETION_TOKENS": "0",
    "GROUNDWIRE_MIN_SENTENCE_WORDS": "1",
}

D = TypeVar("D", bound="MetricDetails")


@dataclass
class Side:
    """What was found of own or of foreign pairs, a value for each row unless said otherwise."""

    sentences: list[np.ndarray] = field(default_factory=list)  # of each row the relevance of its context's sentences
    context_mean: list[float] = field(default_factory=list)
    context_score: list[float] = field(default_factory=list)
    chunk_mean: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    used: list[bool] = field(default_factory=list)  # of each chunk


def main(argv: Sequence[str] | None = None) -> None:
    """Measure each file and print its figures, then fit the limit of relevance on half of all rows."""
    parser = argparse.ArgumentParser(description="Measure the relevance metrics on labelled rows with queries.")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="JSONL, plain or gzipped")
    parser.add_argument("--rows", type=int, default=10_000, help="most rows of each file (default: %(default)s)")
    options = parser.parse_args(argv)
    scorer = JobScorer.load(WorkerSettings.from_env(SETTINGS))
    foreign = []
    for path in options.files:
        own, other = measure(scorer, path, options.rows)
        foreign.append(other.sentences[::2])
        _print(path, own, other)
    fitted = quantile(foreign, FOREIGN_SHARE)
    print(f"{FOREIGN_SHARE:.0%} of foreign sentences, each file weighing the same, are below {fitted:.4f} (calibrated)")


def measure(scorer: JobScorer, path: Path, limit: int) -> tuple[Side, Side]:
    """Score every row with its own texts and with another's."""
    own, foreign = Side(), Side()
    for row, other in _pairs(path, limit):
        _add_context(scorer, own, row.job)
        _add_context(scorer, foreign, row.job.model_copy(update={"contexts": _chunks(other.job), "rag_context": None}))
        _add_answer(scorer, own, row.job)
        _add_answer(scorer, foreign, row.job.model_copy(update={"query": other.job.query}))
        if row.supported:
            _add_use(scorer, own, foreign, row.job, other.job)
    return own, foreign


def _pairs(path: Path, limit: int) -> Iterator[tuple[LabelledRow, LabelledRow]]:
    rows = [row for row in read_dataset(str(path), "supported", ProfileName.EVIDENCE).rows if row.job.query]
    random.Random(SEED).shuffle(rows)  # noqa: S311 - nothing secret
    rows = rows[:limit]
    for place, row in enumerate(rows):
        followers = (*rows[place + 1 :], *rows[:place])
        yield row, next(one for one in followers if one.job.query != row.job.query and _texts(one) != _texts(row))


def _texts(row: LabelledRow) -> list[str | None]:
    return [chunk.text for chunk in _chunks(row.job)]


def _chunks(job: Job) -> tuple[Chunk, ...]:
    return job.contexts if job.contexts is not None else (Chunk(text=job.rag_context),)


def _add_context(scorer: JobScorer, side: Side, job: Job) -> None:
    metrics = scorer.score(job.model_copy(update={"metrics": METRICS})).metrics
    relevance, precision = (metrics[name] for name in METRICS)
    if relevance.score is None or precision.score is None:  # a row without context
        return
    sentences = _of(ContextRelevanceDetails, relevance.details)
    side.sentences.append(np.array([one.score for one in sentences.sentences], np.float32))
    side.context_mean.append(sentences.mean_relevance)
    side.context_score.append(relevance.score)
    side.chunk_mean.append(_of(ContextPrecisionDetails, precision.details).mean_relevance)
    side.precision.append(precision.score)


def _add_answer(scorer: JobScorer, side: Side, job: Job) -> None:
    metric = scorer.score(job.model_copy(update={"metrics": (MetricName.ANSWER_RELEVANCE,)})).metrics[
        MetricName.ANSWER_RELEVANCE
    ]
    if metric.score is not None:
        side.answer.append(metric.score)


def _add_use(scorer: JobScorer, own: Side, foreign: Side, job: Job, other: Job) -> None:
    chunks = _chunks(job)
    both = {"contexts": chunks + _chunks(other), "rag_context": None, "metrics": (MetricName.CONTEXT_UTILISATION,)}
    metric = scorer.score(job.model_copy(update=both)).metrics[MetricName.CONTEXT_UTILISATION]
    if metric.score is not None:
        used = [chunk.used for chunk in _of(ContextUtilisationDetails, metric.details).chunks]
        own.used += used[: len(chunks)]
        foreign.used += used[len(chunks) :]


def _of(kind: type[D], details: MetricDetails | None) -> D:
    if not isinstance(details, kind):
        raise TypeError(f"details are {type(details).__name__} and not {kind.__name__}")
    return details


def _print(path: Path, own: Side, foreign: Side) -> None:
    print(f"{path.name}: {len(own.context_mean)} rows")
    for name in ("context_mean", "context_score", "chunk_mean", "precision", "answer"):
        mine, theirs = (np.array(getattr(side, name), np.float32) for side in (own, foreign))
        low, middle = np.quantile(mine, [0.1, 0.5])
        print(
            f"  {name:<14} ROC AUC {roc_auc(mine, theirs):.4f}   own: 10 % below {low:.2f}, half below {middle:.2f}"
            f"   foreign: 90 % below {np.quantile(theirs, 0.9):.2f}"
        )
    print(
        f"  chunks drawn on by supported answers: own {np.mean(own.used):.1%} of {len(own.used)}, "
        f"foreign {np.mean(foreign.used):.1%} of {len(foreign.used)}",
        flush=True,
    )


if __name__ == "__main__":
    main()
