"""Every error that Groundwire raises on purpose, in one small hierarchy.

A message says what was wrong, with which value, and what to do. It never holds text of an answer or a context:
lengths, field names, ids and positions are what it may name.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class GroundwireError(Exception):
    """Base of all errors of Groundwire; the command line turns it into one line and exit code 2."""


class SettingsError(GroundwireError):
    """A setting from the environment or a flag can't be used."""


class ModelError(GroundwireError):
    """A model, its files or a package that it needs is missing, altered or unusable."""


class QueueError(GroundwireError):
    """The Redis server could not be reached, or it refused what was asked of it."""


class BacklogError(QueueError):
    """So many jobs wait already that one more was refused; the same job may be sent later."""


class WeightsError(GroundwireError):
    """Weights or scores of which no composite can be made."""


class DatasetError(GroundwireError):
    """A labelled file can't be read, or a row of it can't be used."""


class TooMuchWorkError(GroundwireError):
    """A job is within the limits of a job, and yet a metric of it would take a worker for hours."""


class JudgeFault(StrEnum):
    """Why the LLM that judges gave no verdict; the `code` of a metric's error."""

    NOT_CONFIGURED = "judge_not_configured"
    UNAVAILABLE = "judge_unavailable"
    REFUSED = "judge_refused"
    MALFORMED = "judge_malformed"
    EMPTY = "judge_empty"
    OVER_BUDGET = "judge_over_budget"


class JudgeError(GroundwireError):
    """The LLM that judges gave no verdict that can be used.

    Attributes:
        fault: What kind of fault it is.
    """

    def __init__(self, fault: JudgeFault, problem: str) -> None:
        super().__init__(problem)
        self.fault = fault


class DeadReason(StrEnum):
    """Why a job could not be scored; the `reason` of a dead letter."""

    NOT_UTF8 = "not_utf8"
    NOT_JSON = "not_json"
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    UNSUPPORTED_VERSION = "unsupported_version"
    INVALID_FIELD = "invalid_field"
    UNKNOWN_FIELD = "unknown_field"
    MALFORMED_ENTRY = "malformed_entry"
    JOB_ID_CONFLICT = "job_id_conflict"
    SCORING_FAILED = "scoring_failed"
    TIMED_OUT = "timed_out"
    TOO_MANY_ATTEMPTS = "too_many_attempts"
    MALFORMED_MESSAGE = "malformed_message"


class JobIds(NamedTuple):
    """The three ids by which somebody may wait for a job."""

    job_id: str
    trace_id: str
    span_id: str


class InvalidJobError(GroundwireError):
    """A job that can't be accepted.

    Attributes:
        reason: What kind of fault it is.
        field: Path of the field at fault, such as `contexts[3].text`; `payload` where the job as a whole is.
        ids: The job's ids where they could be read all the same, so that an error result can reach whoever waits.
    """

    def __init__(self, reason: DeadReason, field: str, problem: str, ids: JobIds | None = None) -> None:
        super().__init__(f"{field}: {problem}")
        self.reason = reason
        self.field = field
        self.ids = ids
