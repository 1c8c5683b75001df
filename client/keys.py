"""Names of everything that Groundwire keeps in Redis."""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.schemas import Priority

GROUP = "intake"
"""Consumer group on both job streams."""

COMBINE_GROUP = "combine"
"""Consumer group of `groundwire combine` on the results stream."""

STREAM_NAMES = {Priority.INTERACTIVE: "jobs", Priority.BACKFILL: "jobs:backfill"}
"""Short names of the job streams: as they stand after the prefix, in Celery messages and in dead letters."""

INTAKE = "intake:"
HELD = "held:"
WORKER = "worker:"
RETRY = "retry:"
"""How consumers' names on the job streams begin; who a job is pending for says how far it has come. INTAKE: it is on
its way to a worker. HELD: a worker has its message and has not begun with it. WORKER: it is in work. RETRY: it waits
after an attempt that failed. Intakes and workers sign that they live by such names too; the scripts know the words."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The full names of the keys, all of them in one slot of a Redis cluster.

    Attributes:
        prefix: Start of every key, with a hash tag in braces.
    """

    prefix: str = "{groundwire}:"

    def stream(self, name: str) -> str:
        """Key of the job stream with this short name.

        Raises:
            ValueError: There is no such stream.
        """
        if name not in STREAM_NAMES.values():
            raise ValueError(f"no job stream is called {name[:40]!r}; there are {' and '.join(STREAM_NAMES.values())}")
        return self.prefix + name

    @property
    def results(self) -> str:
        """Stream of results: trace_id, span_id, job_id, v, payload."""
        return self.prefix + "results"

    @property
    def dead(self) -> str:
        """Stream of what could not be scored, capped."""
        return self.prefix + "dead"

    @property
    def attempts(self) -> str:
        """Hash of `<stream>/<entry id>` to the number of starts; a field goes with its entry."""
        return self.prefix + "attempts"

    @property
    def errors(self) -> str:
        """Hash of `<stream>/<entry id>` to one line for each attempt that failed; a field goes with its entry."""
        return self.prefix + "errors"

    @property
    def celery(self) -> str:
        """List of Celery messages that wait for a worker."""
        return self.prefix + "celery"

    @property
    def composites(self) -> str:
        """Stream of composites: trace_id, span_id, v, payload; capped."""
        return self.prefix + "composites"

    @property
    def deadlines(self) -> str:
        """Sorted set of `parts` keys that wait for more results, by the time at which their composite is due anyway."""
        return self.prefix + "combine:deadlines"

    @property
    def dropped(self) -> str:
        """Number of jobs that producers dropped as their stream was full."""
        return self.prefix + "dropped"

    @property
    def scored(self) -> str:
        """Stream of jobs that have their result, where they are kept: payload. Old ones go."""
        return self.prefix + "scored"

    @property
    def alive(self) -> str:
        """Sorted set of the names of intakes and workers by the milliseconds of their last sign of life."""
        return self.prefix + "alive"

    @property
    def turn(self) -> str:
        """Exists for a while after an intake did the housekeeping, so that of several one does it."""
        return self.prefix + "housekeeping:turn"

    @property
    def trims(self) -> str:
        """Hash of how many results were trimmed, cut by the cap, and cut before a group acknowledged them."""
        return self.prefix + "housekeeping:trims"

    @property
    def published(self) -> str:
        """List of `<milliseconds> <results published so far>`, newest first, a few minutes' worth."""
        return self.prefix + "housekeeping:published"

    def parts(self, trace_id: str, span_id: str) -> str:
        """What has arrived for one span, as JSON; it expires after its composite was published."""
        # Ids are opaque and may hold colons: the length tells where the first one ends.
        return f"{self.prefix}parts:{len(trace_id)}:{trace_id}:{span_id}"

    def trace(self, trace_id: str) -> str:
        """Hash of job id to results entry id, for the jobs of one trace; it expires."""
        return f"{self.prefix}trace:{trace_id}"

    def done(self, job_id: str) -> str:
        """Marker of a job that has its result: `<content hash> <results entry id>`; it expires.

        A `-` in place of the hash: the job became a dead letter and may be tried again.
        """
        return f"{self.prefix}done:{job_id}"
