"""What a metric costs beside another one, on the sample jobs, in this process."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from groundwire.schemas import MetricName
from groundwire.worker.demo.run import read_samples
from groundwire.worker.scorer import JobScorer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from groundwire.schemas import Job

MILLIS = 1000

SETS: tuple[tuple[MetricName, ...], ...] = (
    (MetricName.FAITHFULNESS,),
    (MetricName.GROUNDEDNESS,),
    (MetricName.FAITHFULNESS, MetricName.GROUNDEDNESS),
)


def milliseconds_per_job(repeats: int) -> dict[str, float]:
    """Score the sample jobs with each set of metrics in turn; the composite is part of each.

    Args:
        repeats: Rounds, of which the median counts. Each round scores texts that no earlier one has seen, so that
            nothing is remembered from it.

    Returns:
        Milliseconds of CPU time of a job on average, by the names of the metrics.
    """
    scorer = JobScorer.load(WorkerSettings.from_env({"GROUNDWIRE_THREADS": "1", "GROUNDWIRE_PAIR_CACHE": "0"}))
    samples = read_samples()
    _cpu_seconds(scorer, samples, SETS[-1])
    taken: dict[str, list[float]] = {" + ".join(metrics): [] for metrics in SETS}
    for turn in range(repeats):
        for place, metrics in enumerate(SETS):
            jobs = [_altered(job, turn * len(SETS) + place) for job in samples]
            taken[" + ".join(metrics)].append(_cpu_seconds(scorer, jobs, metrics) / len(jobs) * MILLIS)
    return {name: statistics.median(found) for name, found in taken.items()}


def _altered(job: Job, number: int) -> Job:
    """The same job about as long, its sentences new to every memory: each begins with another word."""

    def alter(text: str) -> str:
        return text.replace(". ", f". No {number}: ")

    chunks = job.contexts and tuple(
        chunk.model_copy(update={"text": chunk.text and alter(chunk.text)}) for chunk in job.contexts
    )
    context = job.rag_context and alter(job.rag_context)
    return job.model_copy(
        update={"contexts": chunks, "rag_context": context, "response_text": alter(job.response_text)}
    )


def _cpu_seconds(scorer: JobScorer, jobs: list[Job], metrics: tuple[MetricName, ...]) -> float:
    start = time.process_time()
    for job in jobs:
        scorer.score(job.model_copy(update={"metrics": metrics}))
    return time.process_time() - start
