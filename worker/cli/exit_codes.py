"""What a command's exit code says."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from groundwire.schemas import Status

if TYPE_CHECKING:
    from groundwire.schemas import Result


class Exit(IntEnum):
    """Exit codes of every command."""

    OK = 0
    WORK_FAILED = 1
    """The input was fine, but something failed in the work: a wait timed out, a heartbeat is stale, a
    release does not pass its gate."""
    BAD_INPUT = 2
    """A line, a flag, a setting or the installation can't be used."""
    INCOMPLETE = 3
    """Everything was tried and reported, but some of it has no verdict: a row that could not be scored, a
    gate without scores to go by."""
    READER_GONE = 141
    """Whoever read the output closed it, as `head` does: 128 + SIGPIPE."""


def has_error(result: Result) -> bool:
    """Tell whether a metric of the result ended in an error."""
    return any(metric.status is Status.ERROR for metric in result.metrics.values())
