"""Has rows scored by the running workers: onto the stream for backfill, a few at a time, and their results back."""

from __future__ import annotations

import time
import uuid
from collections import deque
from dataclasses import dataclass
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
        timeout: Seconds to wait for a result at most, from when its job was sent or the last result came, whichever is
            later. The waits of jobs that are sent together do not add up: without workers it ends all the same.

    Returns:
        The outcomes in the order of the jobs. A job without a result within that time, and one that the client refuses,
        are outcomes too, with the problem.

    Raises:
        QueueError: The server can't be reached, or the stream takes no more jobs.
    """
    run = uuid.uuid4().hex
    with Client(settings) as client:
        client.ping()
        results = _Results(client, timeout)
        waiting: deque[_Sent] = deque()
        for job in jobs:
            if len(waiting) >= IN_FLIGHT:
                yield results.take(waiting.popleft())
            own = {"trace_id": f"evaluate-{run}-{job.trace_id}", "priority": Priority.BACKFILL}
            waiting.append(_Sent(_submit(client, job.model_copy(update=own)), time.monotonic()))
        while waiting:
            yield results.take(waiting.popleft())


@dataclass(frozen=True, slots=True)
class _Sent:
    """What became of sending a job, and the monotonic time at which it was sent."""

    found: Submitted | Outcome
    at: float


class _Results:
    """Takes results as they come, and loses patience where none comes for `timeout` seconds."""

    def __init__(self, client: Client, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self._last = time.monotonic()

    def take(self, sent: _Sent) -> Outcome:
        """Wait for a job's result.

        Raises:
            QueueError: The server can't be reached.
        """
        if isinstance(sent.found, Outcome):
            return sent.found
        left = max(0.0, max(sent.at, self._last) + self._timeout - time.monotonic())
        try:
            found = self._client.wait(sent.found.trace_id, sent.found.job_id, left, sent.found.after)
        except QueueError as error:
            # raises when the server is gone, where no other result would come either
            self._client.ping()
            return Outcome(None, f"{error} (no result came for {self._timeout:g} s)")
        self._last = time.monotonic()
        return Outcome(found)


def _submit(client: Client, job: Job) -> Submitted | Outcome:
    try:
        sent = client.submit(job)
    except InvalidJobError as error:
        return Outcome(None, str(error))
    if sent.dropped:
        raise BacklogError("the backfill stream is full and dropped a job; run it again when fewer jobs wait")
    return sent
