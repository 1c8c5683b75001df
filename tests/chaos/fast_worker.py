"""A worker whose scorer does what the answer says, at once, so that the queue is what a test sees."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from groundwire.schemas import MetricResult, Result, SkipReason, Status, Timing
from groundwire.schemas.clock import utc_now
from groundwire.worker.app import run_worker
from groundwire.worker.cli.log_setup import log_to_stderr
from groundwire.worker.heartbeat import STALL_S
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.schemas import Job

STALL_VARIABLE = "STALL_S"
"""Seconds after which the heartbeat of a worker that does nothing stops, where a test does not want to wait for 30."""


class ObedientScorer:
    """`sleep 3` takes three seconds, `hold the interpreter` never lets it go.

    `kill` ends the process as the kernel does when a machine has no memory left, `fill the memory` meets a limit on it.
    """

    def score(self, job: Job, warnings: Sequence[str] = (), queued_ms: float | None = None, attempt: int = 1) -> Result:
        match job.response_text.split():
            case ["kill"]:
                os.kill(os.getpid(), signal.SIGKILL)
            case ["fill", "the", "memory"]:
                bytearray(sys.maxsize)
            case ["sleep", seconds]:
                time.sleep(float(seconds))
            case ["hold", "the", "interpreter"]:
                sum(range(10**12))
        skipped = MetricResult(score=None, status=Status.SKIPPED, skip_reason=SkipReason.RAG_CONTEXT_NULL)
        return Result(
            job_id=job.id,
            trace_id=job.trace_id,
            span_id=job.span_id,
            metrics={"faithfulness": skipped},
            scorer=None,
            timing=Timing(queued_ms=queued_ms),
            warnings=tuple(warnings),
            evaluated_at=utc_now(),
            attempt=attempt,
        )


if __name__ == "__main__":
    settings = WorkerSettings.from_env()
    log_to_stderr(settings.log_level)
    sys.exit(run_worker(settings, lambda _: ObedientScorer(), float(os.environ.get(STALL_VARIABLE, STALL_S))))
