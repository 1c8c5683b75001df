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

SETS: dict[str, tuple[MetricName, ...]] = {
    "faithfulness": (MetricName.FAITHFULNESS,),
    "groundedness": (MetricName.GROUNDEDNESS,),
    "faithfulness + groundedness": (MetricName.FAITHFULNESS, MetricName.GROUNDEDNESS),
    "completeness": (MetricName.COMPLETENESS,),
    "all but completeness": tuple(name for name in MetricName if name is not MetricName.COMPLETENESS),
    "all": tuple(MetricName),
}
"""Completeness stands apart: most jobs have no reference answer, but seven of the eight samples that are scored do."""


def milliseconds_per_job(repeats: int) -> dict[str, float]:
    """Score the sample jobs with each set of metrics in turn; the composite is part of each.

    Args:
        repeats: Rounds, of which the median counts. Each round scores texts that no earlier one has seen, so that
            nothing is remembered from it.

    Returns:
        Milliseconds of CPU time of a job on average, by the name of the set.
    """
    scorer = JobScorer.load(WorkerSettings.from_env({"GROUNDWIRE_THREADS": "1", "GROUNDWIRE_PAIR_CACHE": "0"}))
    samples = read_samples()
    _cpu_seconds(scorer, samples, SETS["all"])
    taken: dict[str, list[float]] = {name: [] for name in SETS}
    for turn in range(repeats):
        for place, (name, metrics) in enumerate(SETS.items()):
            jobs = [_altered(job, turn * len(SETS) + place) for job in samples]
            taken[name].append(_cpu_seconds(scorer, jobs, metrics) / len(jobs) * MILLIS)
    return {name: statistics.median(found) for name, found in taken.items()}


def _altered(job: Job, number: int) -> Job:
    """The same job about as long, its sentences new to every memory: each begins with another word."""

    def alter(text: str) -> str:
        return text.replace(". ", f". No {number}: ")

    chunks = job.contexts and tuple(
        chunk.model_copy(update={"text": chunk.text and alter(chunk.text)}) for chunk in job.contexts
    )
    texts = {
        "response_text": alter(job.response_text),
        "rag_context": job.rag_context and alter(job.rag_context),
        "reference_answer": job.reference_answer and alter(job.reference_answer),
    }
    return job.model_copy(update=texts | {"contexts": chunks})


def _cpu_seconds(scorer: JobScorer, jobs: list[Job], metrics: tuple[MetricName, ...]) -> float:
    start = time.process_time()
    for job in jobs:
        scorer.score(job.model_copy(update={"metrics": metrics}))
    return time.process_time() - start
