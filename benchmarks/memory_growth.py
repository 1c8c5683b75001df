"""Whether a scoring process keeps its size: its memory over many jobs of random length, all default metrics.

    python benchmarks/memory_growth.py --jobs 2000

Every tenth job is scored in profile `original`, in pieces of 400 words, so that batches as long as the model allows
(512 tokens) are among them.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING

from answers.build import load_bank
from process_memory import pss_mib

from groundwire.schemas import Job, ProfileName
from groundwire.worker.scorer import JobScorer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

WARM_UP = 200
"""Jobs after which a process has its working size: buffers as large as the largest batches need."""

EVERY_ORIGINAL = 10
SEED = 7
"""Any will do; a fixed one makes two runs comparable."""

REPORT_EVERY = 100


def main(argv: Sequence[str] | None = None) -> int:
    """Score the jobs and print the memory as it goes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2000, help="how many jobs to score (default 2000)")
    jobs: int = parser.parse_args(argv).jobs
    # a worker has it loaded as well
    import_module("groundwire.worker.app")
    if pss_mib(os.getpid()) is None:
        print("memory can't be read: no /proc here", file=sys.stderr)
        return 2
    scorer = JobScorer.load(WorkerSettings.from_env({"GROUNDWIRE_THREADS": "1"}))
    print(f"loaded: {pss_mib(os.getpid()):.0f} MiB (PSS)")
    random = Random(SEED)  # noqa: S311 - test data, no secret
    settled = peak = 0.0
    for number in range(1, jobs + 1):
        scorer.score(_job(random, number))
        now = pss_mib(os.getpid()) or 0.0
        peak = max(peak, now)
        settled = now if number == WARM_UP else settled
        if number % REPORT_EVERY == 0:
            print(f"after {number:>5} jobs: {now:.0f} MiB", flush=True)
    print(f"highest {peak:.0f} MiB; against the size after {WARM_UP} jobs {peak / settled - 1 if settled else 0:+.1%}")
    return 0


def _job(random: Random, number: int) -> Job:
    """Make a job of random length that no earlier one equals."""
    original = number % EVERY_ORIGINAL == 0
    documents = random.sample(load_bank(), random.randint(1, 12))
    contexts = [" ".join(random.sample(document["sentences"], len(document["sentences"]))) for document in documents]
    claims = [claim for kind in ("supported", "contradicted", "absent") for claim in documents[0][kind]]
    answer = [f"In case {number}, {claim}" for claim in random.sample(claims, random.randint(1, 3 if original else 8))]
    return Job(
        trace_id=f"trace-{number}",
        span_id="answer",
        response_text=" ".join(answer),
        contexts=tuple(contexts),
        profile=ProfileName.ORIGINAL if original else ProfileName.EVIDENCE,
    )


if __name__ == "__main__":
    sys.exit(main())
