"""Scores a job: the metrics that it asks for, from the models behind the ports."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from groundwire.schemas import DeadReason, MetricError, MetricName, MetricResult, Status, TooMuchWorkError
from groundwire.worker.scoring.answer_relevance import answer_relevance
from groundwire.worker.scoring.asking import NliAsker, as_said
from groundwire.worker.scoring.case import Case
from groundwire.worker.scoring.completeness import completeness
from groundwire.worker.scoring.context_precision import context_precision
from groundwire.worker.scoring.context_relevance import context_relevance
from groundwire.worker.scoring.context_utilisation import context_utilisation
from groundwire.worker.scoring.faithfulness import faithfulness
from groundwire.worker.scoring.foreign_scripts import foreign_scripts
from groundwire.worker.scoring.groundedness import groundedness
from groundwire.worker.scoring.judged import judged_metrics
from groundwire.worker.scoring.support import SupportJudge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports
    from groundwire.worker.scoring.profiles import Profile

METRICS: Mapping[MetricName, Callable[[Case, NliAsker], MetricResult]] = MappingProxyType(
    {
        MetricName.CONTEXT_RELEVANCE: context_relevance,
        MetricName.CONTEXT_PRECISION: context_precision,
        MetricName.ANSWER_RELEVANCE: answer_relevance,
        MetricName.CONTEXT_UTILISATION: context_utilisation,
        MetricName.GROUNDEDNESS: groundedness,
        MetricName.FAITHFULNESS: faithfulness,
        MetricName.COMPLETENESS: completeness,
    }
)
"""In the order in which they are computed: what asks the relevance model for many texts in one call comes before what
asks for them one by one, which then finds them known."""

MILLIS = 1000


@dataclass(frozen=True, slots=True)
class JobScore:
    """The metrics of a job and what they cost.

    Attributes:
        metrics: Result of each metric by its name, in the order in which they were asked for.
        split_ms: Cutting answer and context into sentences and indexing them, in milliseconds.
        nli_ms: Running the NLI model.
        relevance_ms: Running the relevance model.
        total_ms: The whole of scoring.
        pairs: (premise, hypothesis) pairs that the job needed.
        cached_pairs: Those of them that were not computed again: known from this job or from an earlier one.
        foreign_scripts: How many of the answer's sentences are in which other script than Latin, in words; None if none
            is, or if nothing looked at the sentences.
    """

    metrics: dict[str, MetricResult]
    split_ms: float
    nli_ms: float
    relevance_ms: float
    total_ms: float
    pairs: int
    cached_pairs: int
    foreign_scripts: str | None = None


def score_job(job: Job, profile: Profile, ports: Ports, default_metrics: Sequence[MetricName]) -> JobScore:
    """Compute the metrics of a job.

    Args:
        job: The job; its own metrics and thresholds go before the defaults. Its `profile` is the caller's to resolve.
        profile: The scorer configuration.
        ports: Models and splitters.
        default_metrics: Metrics for a job that names none.

    Raises:
        ModelError: A model failed or gave something that is no probability.
    """
    started = time.perf_counter()
    case = Case(job, profile, ports)
    judge = as_said if profile.support is None else SupportJudge(case.context, profile.support, case.chunks_about).judge
    asker = NliAsker(ports.nli, profile.temperature, exhaustive=profile.exhaustive, judge=judge)
    asked = job.metrics or default_metrics
    computed = dict(judged_metrics(case, ports.judged, asked))
    computed |= {name: _computed(name, case, asker) for name in METRICS if name in asked and name not in computed}
    metrics = {name.value: computed[name] for name in asked}
    return JobScore(
        metrics=metrics,
        split_ms=case.split_seconds * MILLIS,
        nli_ms=asker.seconds * MILLIS,
        relevance_ms=case.relevance.seconds * MILLIS,
        total_ms=(time.perf_counter() - started) * MILLIS,
        pairs=asker.pairs,
        cached_pairs=asker.cached_pairs,
        foreign_scripts=foreign_scripts(case.sentences) if case.is_split else None,
    )


def _computed(name: MetricName, case: Case, asker: NliAsker) -> MetricResult:
    """Compute a metric; one that would take too long is an error, whatever the others are."""
    try:
        return METRICS[name](case, asker)
    except TooMuchWorkError as error:
        problem = MetricError(code=DeadReason.TOO_LARGE.value, message=str(error))
        return MetricResult(score=None, status=Status.ERROR, error=problem, reason=f"{error}.")
