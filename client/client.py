"""The client of producers and consumers: jobs in, results out."""

from __future__ import annotations

import json
import logging
import re
import time
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from groundwire.client.connection import (
    BLOCK_MS,
    Entry,
    as_text,
    entry_order,
    queue_errors,
    read_entries,
    read_streams,
)
from groundwire.client.dead import DeadLetters
from groundwire.client.scored_jobs import read_scored
from groundwire.client.session import Session
from groundwire.client.settings import ClientSettings
from groundwire.client.status import read_status
from groundwire.client.submission import Submission
from groundwire.schemas import DeadReason, InvalidJobError, Job, QueueError, Result, parse_job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from groundwire.client.status import QueueStatus
    from groundwire.client.submission import Submitted

PAGE = 100
"""Results per round trip: at the size cap of 1 MiB each still a reply that fits into memory."""

FIRST = "0"
"""Position before the first result; also the position of an empty stream."""

RESULT_VERSION = b"1"
"""The version of results that this release reads."""

SHOWN_VERSION = re.compile(rb"[0-9.]{1,8}")
"""A version that an error may show: whatever wrote the entry can have put text in its place."""

logger = logging.getLogger(__name__)


class Client(Session):
    """Submits jobs and reads results. Threads may share one; after a fork each process needs its own.

    Example:
        >>> with Client("redis://localhost:6379/0") as client:
        ...     sent = client.submit({"trace_id": "t1", "span_id": "s1", "response_text": "…", "rag_context": "…"})
        ...     print(client.wait(sent.trace_id, sent.job_id, 30, after=sent.after).metrics["faithfulness"].score)

    Args:
        settings: Settings, or just the server's URL; null: from the environment.

    Raises:
        SettingsError: A setting from the environment can't be used.
    """

    def __init__(self, settings: ClientSettings | str | None = None) -> None:
        if settings is None:
            settings = ClientSettings.from_env()
        elif isinstance(settings, str):
            settings = ClientSettings.from_env({"GROUNDWIRE_REDIS_URL": settings})
        super().__init__(settings)
        self._submission = Submission(self._server, self._keys, settings)
        self.dead = DeadLetters(self._server, self._keys, settings)

    def ping(self) -> None:
        """Ask the server for a sign of life.

        Raises:
            QueueError: It can't be reached.
        """
        with queue_errors(self._settings):
            self._server.ping()

    def status(self) -> QueueStatus:
        """Return the state of the queue; it costs the same however many jobs wait.

        Raises:
            QueueError: The server can't be reached, or refused.
        """
        return read_status(self._server, self._keys, self._settings)

    def scored(self, since_ms: int = 0) -> Iterator[Job]:
        """Yield the jobs that have their result and were kept (GROUNDWIRE_KEEP_JOBS_S of the workers).

        Args:
            since_ms: Only those whose result was published at this time or later, in milliseconds since 1970.

        Raises:
            InvalidJobError: What was kept can't be read: a newer release wrote it.
            QueueError: The server can't be reached.
        """
        return read_scored(self._server, self._keys, self._settings, since_ms)

    def submit(self, job: Job | Mapping[str, Any]) -> Submitted:
        """Check a job and put it onto the job stream of its priority.

        A job that has its result already is not sent again. Beyond GROUNDWIRE_MAX_BACKLOG entries of the stream, a job
        is refused or dropped, as GROUNDWIRE_ON_FULL says.

        Args:
            job: The job, or its fields as in the JSON.

        Raises:
            InvalidJobError: The job is no valid one, with the field at fault; or its id belongs to another content.
            BacklogError: The stream is full, and the job was refused.
            QueueError: The server can't be reached, or refused.
        """
        return self._submission.submit(parse_job(_encode(job), self._settings.limits).job)

    def result(self, trace_id: str, job_id: str) -> Result | None:
        """Return a job's result, or null when it has none yet or it has expired.

        Raises:
            QueueError: The server can't be reached, or the result can't be read.
        """
        found = self._find(trace_id, job_id, FIRST)
        return None if found is None else _result(found)

    def results(
        self,
        after: str = FIRST,
        *,
        follow: bool = False,
        trace_id: str | None = None,
        unreadable: Callable[[str], None] | None = None,
    ) -> Iterator[Result]:
        """Yield results in the order in which they were published.

        An entry of the stream that can't be read, be it foreign or of a newer release, is passed over: it would block
        every reader for as long as the stream keeps it.

        Args:
            after: Id of an entry of the results stream; the results after it are read. `0` reads all, `$` only those
                that come from now on.
            follow: Whether to wait for more at the end, for ever.
            trace_id: Only results of this trace.
            unreadable: Called with one line about each entry that was passed over, its id among it; by default that
                line is logged as a warning.

        Raises:
            QueueError: The server can't be reached.
        """
        report = unreadable or logger.warning
        for entry in self._entries(after, follow=follow, trace_id=trace_id):
            try:
                result = _result(entry)
            except QueueError as error:
                report(str(error))
            else:
                yield result

    def wait(self, trace_id: str, job_id: str, timeout: float, after: str | None = None) -> Result:
        """Wait for a job's result.

        Args:
            trace_id: The job's trace.
            job_id: The job's id, as `submit` returned it.
            timeout: Seconds to wait at most.
            after: Only a result after this entry of the results stream counts; `Submitted.after` passes over what an
                earlier job with this id left behind. Null: any.

        Raises:
            QueueError: There was no result within that time, it can't be read, or the server can't be reached.
        """
        deadline = time.monotonic() + timeout
        # The position is taken before the look-up, so that a result published in between is seen by one of the two.
        position = self._last_result()
        found = self._find(trace_id, job_id, after or FIRST)
        wanted = (trace_id.encode(), job_id.encode())
        while found is None:
            left_ms = int((deadline - time.monotonic()) * 1000)
            if left_ms <= 0:
                problem = f"no result of job {job_id} within {timeout:g} s; are an intake and a worker running?"
                raise QueueError(problem)
            for entry in self._read_after(position, min(left_ms, BLOCK_MS)):
                position = entry[0]
                if (entry[1].get("trace_id"), entry[1].get("job_id")) == wanted:
                    found = entry
                    break
        return _result(found)

    def _find(self, trace_id: str, job_id: str, after: str) -> Entry | None:
        """The entry of a job's result, if it stands after a position."""
        with queue_errors(self._settings):
            entry_id = self._server.hget(self._keys.trace(trace_id), job_id)
            if entry_id is None or entry_order(as_text(entry_id)) <= entry_order(after):
                return None
            found = self._fetch(as_text(entry_id))
        return found[0] if found else None

    def _entries(self, after: str, *, follow: bool, trace_id: str | None) -> Iterator[Entry]:
        """Entries of the results stream, of one trace or of all."""
        position = self._last_result() if after == "$" else after
        if trace_id is not None and not follow:
            yield from self._entries_of_trace(trace_id, position)
            return
        while True:
            page = self._read_after(position, BLOCK_MS if follow else None)
            if not page and not follow:
                return
            for entry in page:
                if trace_id is None or entry[1].get("trace_id") == trace_id.encode():
                    yield entry
                position = entry[0]

    def _last_result(self) -> str:
        """Id of the newest result."""
        with queue_errors(self._settings):
            newest = read_entries(self._server.xrevrange(self._keys.results, count=1))
        return newest[0][0] if newest else FIRST

    def _read_after(self, position: str, block_ms: int | None) -> list[Entry]:
        """The next page of results; waits up to `block_ms` for the first of them."""
        with queue_errors(self._settings):
            reply = self._server.xread({self._keys.results: position}, count=PAGE, block=block_ms)
        return read_streams(reply).get(self._keys.results, [])

    def _entries_of_trace(self, trace_id: str, position: str) -> Iterator[Entry]:
        with queue_errors(self._settings):
            entry_ids = [as_text(entry_id) for entry_id in self._server.hvals(self._keys.trace(trace_id))]
        for entry_id in sorted(entry_ids, key=entry_order):
            if entry_order(entry_id) > entry_order(position):
                with queue_errors(self._settings):
                    page = self._fetch(entry_id)
                yield from page

    def _fetch(self, entry_id: str) -> list[Entry]:
        return read_entries(self._server.xrange(self._keys.results, min=entry_id, max=entry_id))


def _encode(job: Job | Mapping[str, Any]) -> bytes:
    if isinstance(job, Job):
        return job.to_payload()
    try:
        return json.dumps(dict(job)).encode()
    except (TypeError, ValueError, RecursionError) as error:
        # The message may quote the value, its type may not.
        problem = f"holds something that JSON can't express ({type(error).__name__}); use texts, numbers, lists, dicts"
        raise InvalidJobError(DeadReason.NOT_JSON, "payload", problem) from None


def _result(entry: Entry) -> Result:
    entry_id, fields = entry
    try:
        return Result.model_validate_json(fields.get("payload", b""))
    except ValidationError:
        version = fields.get("v")
        if version is None or version == RESULT_VERSION:
            problem = f"entry {entry_id} of the results stream is not a whole result; look at what wrote it"
        else:
            shown = version.decode() if SHOWN_VERSION.fullmatch(version) else f"of {len(version)} bytes"
            problem = f"result {entry_id} can't be read: version {shown}, this release reads 1; update groundwire"
        raise QueueError(problem) from None
