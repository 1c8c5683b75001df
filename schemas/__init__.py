"""The wire contract of Groundwire: jobs in, results out, and the names and errors that they share."""

from groundwire.schemas.combined import Combined, CombinedPart
from groundwire.schemas.composite import DEFAULT_WEIGHTS, Composite, composite
from groundwire.schemas.details import GroundednessDetails, SentenceGrounding, UsedChunk
from groundwire.schemas.errors import (
    BacklogError,
    DatasetError,
    DeadReason,
    GroundwireError,
    InvalidJobError,
    JobIds,
    ModelError,
    QueueError,
    SettingsError,
    TooMuchWorkError,
    WeightsError,
)
from groundwire.schemas.job import Chunk, Job
from groundwire.schemas.limits import Limits
from groundwire.schemas.names import (
    DiscrepancyKind,
    EvidenceField,
    GroundednessMode,
    Label,
    MetricName,
    Priority,
    ProfileName,
    SkipReason,
    Status,
    UnscoredReason,
)
from groundwire.schemas.parse import ParsedJob, parse_job
from groundwire.schemas.result import Evidence, MetricError, MetricResult, Result, Scorer, SentenceResult, Timing

__all__ = [
    "DEFAULT_WEIGHTS",
    "BacklogError",
    "Chunk",
    "Combined",
    "CombinedPart",
    "Composite",
    "DatasetError",
    "DeadReason",
    "DiscrepancyKind",
    "Evidence",
    "EvidenceField",
    "GroundednessDetails",
    "GroundednessMode",
    "GroundwireError",
    "InvalidJobError",
    "Job",
    "JobIds",
    "Label",
    "Limits",
    "MetricError",
    "MetricName",
    "MetricResult",
    "ModelError",
    "ParsedJob",
    "Priority",
    "ProfileName",
    "QueueError",
    "Result",
    "Scorer",
    "SentenceGrounding",
    "SentenceResult",
    "SettingsError",
    "SkipReason",
    "Status",
    "Timing",
    "TooMuchWorkError",
    "UnscoredReason",
    "UsedChunk",
    "WeightsError",
    "composite",
    "parse_job",
]
