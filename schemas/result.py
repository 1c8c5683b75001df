"""The result of a job, version 1: what is published on the results stream."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from groundwire.schemas.completeness_details import CompletenessDetails
from groundwire.schemas.composite import Composite  # noqa: TC001 - pydantic reads the annotation at run time
from groundwire.schemas.details import Count, GroundednessDetails, ResultPart, Score
from groundwire.schemas.judge_details import (
    JudgedAnswerRelevanceDetails,
    JudgedContextPrecisionDetails,
    JudgedFaithfulnessDetails,
)
from groundwire.schemas.names import DiscrepancyKind, EvidenceField, Label, SkipReason, Status, UnscoredReason
from groundwire.schemas.relevance_details import (
    AnswerRelevanceDetails,
    ContextPrecisionDetails,
    ContextRelevanceDetails,
    ContextUtilisationDetails,
)

MetricDetails = Annotated[
    GroundednessDetails
    | ContextRelevanceDetails
    | ContextPrecisionDetails
    | ContextUtilisationDetails
    | AnswerRelevanceDetails
    | CompletenessDetails
    | JudgedFaithfulnessDetails
    | JudgedContextPrecisionDetails
    | JudgedAnswerRelevanceDetails,
    Field(discriminator="kind"),
]
"""The details of any metric, told apart by their `kind`."""

Millis = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class Evidence(ResultPart):
    """A passage of the context that decided a sentence, or came nearest to it.

    Attributes:
        context_index: Position of the chunk in the job, from 0; the single-string form of the context is chunk 0.
        context_id: The chunk's own id, where it has one.
        field: Which field of the chunk the offsets count in; `html_text` is the text that the HTML was turned into.
        start: First Unicode code point of the passage in that field.
        end: One past the last code point.
        text: The passage, or null where texts are left out of results.
    """

    context_index: Count
    context_id: str | None = None
    field: EvidenceField
    start: Count
    end: Count
    text: str | None = None


class SentenceResult(ResultPart):
    """One sentence of the answer and what the context says of it.

    Attributes:
        sentence: The sentence as it stands in the answer, or null where texts are left out of results.
        start: First Unicode code point of the sentence in `response_text`.
        end: One past the last code point.
        label: The verdict, or null where the sentence was not scored or the metric goes without the NLI model.
        entailment_prob: Probability that the evidence entails the sentence, 0..1; null where there is no label.
        neutral_prob: Probability that the evidence leaves it open.
        contradiction_prob: Probability that the evidence contradicts it.
        discrepancy: What rules found at odds between sentence and evidence, though the model takes the one to follow
            from the other: the sentence is not entailed then. Null where they found nothing.
        unscored_reason: Why it was not scored; null where it was.
        evidence: The passages that decided, in document order.
    """

    sentence: str | None
    start: Count
    end: Count
    label: Label | None = None
    entailment_prob: Score | None = None
    neutral_prob: Score | None = None
    contradiction_prob: Score | None = None
    discrepancy: DiscrepancyKind | None = None
    unscored_reason: UnscoredReason | None = None
    evidence: tuple[Evidence, ...] = ()


class MetricError(ResultPart):
    """What went wrong where a metric has status `error`."""

    code: str
    message: str


class MetricResult(ResultPart):
    """The outcome of one metric.

    Attributes:
        score: 0..1, or null exactly when the status is `skipped` or `error`.
        status: `success` at or above the threshold, `failure` below it.
        skip_reason: The rule that kept the metric from being computed.
        error: Code and message where the status is `error`.
        threshold: The threshold that the score was held against.
        reason: One or two plain sentences on why the metric has its score.
        details: What the metric was made from, told apart by its `kind`; null where there is no more to say.
        total_qualifying: Number of sentences that were scored: of the answer, for completeness of the reference answer,
            and none for the metrics that judge the context alone. Under profile `judge` faithfulness counts claims.
        entailed_count: Number of them that the context entails; for completeness, that the answer entails.
        contradicted_count: Number of them that it contradicts.
        sentence_results: Every sentence of the answer, in its order.
    """

    score: Score | None
    status: Status
    skip_reason: SkipReason | None = None
    error: MetricError | None = None
    threshold: Score | None = None
    reason: str | None = None
    details: MetricDetails | None = None
    total_qualifying: Count = 0
    entailed_count: Count = 0
    contradicted_count: Count = 0
    sentence_results: tuple[SentenceResult, ...] = ()

    @model_validator(mode="after")
    def _score_and_status_agree(self) -> Self:
        scored = self.status in (Status.SUCCESS, Status.FAILURE)
        if scored != (self.score is not None):
            raise ValueError(f"status {self.status} and score {self.score} contradict each other")
        if (self.status is Status.SKIPPED) != (self.skip_reason is not None):
            raise ValueError(f"status {self.status} and skip_reason {self.skip_reason} contradict each other")
        if (self.status is Status.ERROR) != (self.error is not None):
            raise ValueError(f"status {self.status} needs an error exactly when it is error")
        return self


class Scorer(ResultPart):
    """What computed the result: enough to tell whether two scores may be compared.

    Attributes:
        version: Version of Groundwire.
        profile: Name of the scorer configuration.
        config_hash: Hash of every number of that configuration, thresholds apart.
        model_id: Catalogue name of the NLI model.
        model_sha256: Hash of the weights that were run.
    """

    version: str
    profile: str
    config_hash: str
    model_id: str
    model_sha256: str


class Timing(ResultPart):
    """Where the time of a job went, in milliseconds.

    Attributes:
        queued_ms: From its entry on the stream to the start of scoring; null outside the queue.
        split_ms: Splitting answer and context into sentences.
        nli_ms: Running the NLI model.
        relevance_ms: Running the relevance model.
        total_ms: The whole of scoring.
        pairs: (premise, hypothesis) pairs that the job needed.
        cached_pairs: Those of them that were not computed again: known from this job or from an earlier one.
    """

    queued_ms: Millis | None = None
    split_ms: Millis = 0.0
    nli_ms: Millis = 0.0
    relevance_ms: Millis = 0.0
    total_ms: Millis = 0.0
    pairs: Count = 0
    cached_pairs: Count = 0


class Result(ResultPart):
    """The result of one job.

    A job that became a dead letter has a result too where its ids could be read: every metric has status `error`,
    and `composite` and `scorer` are null when no scorer was reached.
    """

    v: Literal[1] = 1
    job_id: str
    trace_id: str
    span_id: str
    project: str | None = None
    attributes: dict[str, str] = Field(default_factory=dict)
    rescored_from: str | None = Field(
        None, description="id of the job that was scored once more, see groundwire rescore"
    )
    metrics: dict[str, MetricResult]
    composite: Composite | None = None
    scorer: Scorer | None
    timing: Timing
    warnings: tuple[str, ...] = ()
    evaluated_at: str = Field(description="RFC 3339 time in UTC")
    attempt: Count = 1
