"""Has rows scored by the running workers: onto the stream for backfill, a few at a time, and their results back."""

from __future__ import annotations

import uuid
from collections import deque
from typing import TYPE_CHECKING

from groundwire.client import Client
from groundwire.schemas import BacklogError, InvalidJobError, Priority, QueueError
from groundwire.worker.evaluate.scoring_pool import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.client import ClientSettings, Submitted
    from groundwire.schemas import Job

IN_FLIGHT = 64
"""Jobs at the workers at a time: enough for the largest of them to be busy, and no flood before other people's jobs."""


def score_by_workers(jobs: Sequence[Job], settings: ClientSettings, timeout: float) -> Iterator[Outcome]:
    """Submit jobs and wait for their results.

    Args:
        jobs: The jobs. Each gets a trace of its own for this run, so that no earlier result is taken for its own.
        settings: Where the queue is.
        timeout: Seconds to wait for a result at most, after those before it are there.

    Returns:
        The outcomes in the order of the jobs. A job without a result within that time, and one that the client refuses,
        are outcomes too, with the problem.

    Raises:
        QueueError: The server can't be reached, or the stream takes no more jobs.
    """
    run = uuid.uuid4().hex
    with Client(settings) as client:
        client.ping()
        waiting: deque[Submitted | Outcome] = deque()
        for job in jobs:
            if len(waiting) >= IN_FLIGHT:
                yield _outcome(client, waiting.popleft(), timeout)
            own = {"trace_id": f"evaluate-{run}-{job.trace_id}", "priority": Priority.BACKFILL}
            waiting.append(_submit(client, job.model_copy(update=own)))
        while waiting:
            yield _outcome(client, waiting.popleft(), timeout)


def _submit(client: Client, job: Job) -> Submitted | Outcome:
    try:
        sent = client.submit(job)
    except InvalidJobError as error:
        return Outcome(None, str(error))
    if sent.dropped:
        raise BacklogError("the backfill stream is full and dropped a job; run it again when fewer jobs wait")
    return sent


def _outcome(client: Client, sent: Submitted | Outcome, timeout: float) -> Outcome:
    if isinstance(sent, Outcome):
        return sent
    try:
        return Outcome(client.wait(sent.trace_id, sent.job_id, timeout, sent.after))
    except QueueError as error:
        # raises when the server is gone, where no other result would come either
        client.ping()
        return Outcome(None, str(error))
