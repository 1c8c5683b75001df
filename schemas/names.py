"""The closed sets of names that job and result share."""

from __future__ import annotations

from enum import StrEnum


class MetricName(StrEnum):
    """Metrics that a job may ask for."""

    FAITHFULNESS = "faithfulness"
    GROUNDEDNESS = "groundedness"
    CONTEXT_RELEVANCE = "context_relevance"
    CONTEXT_PRECISION = "context_precision"
    CONTEXT_UTILISATION = "context_utilisation"
    ANSWER_RELEVANCE = "answer_relevance"
    COMPLETENESS = "completeness"


class Priority(StrEnum):
    """Which of the two job streams carries a job."""

    INTERACTIVE = "interactive"
    BACKFILL = "backfill"


class ProfileName(StrEnum):
    """Scorer configurations that come with Groundwire."""

    EVIDENCE = "evidence"
    ORIGINAL = "original"
    JUDGE = "judge"


class JudgeStep(StrEnum):
    """What an LLM is asked for under profile `judge`.

    The first four in turn for faithfulness, the others for answer relevance and for context precision.
    """

    TRUTHS = "truths"
    CLAIMS = "claims"
    VERDICTS = "verdicts"
    REASON = "reason"
    QUESTIONS = "questions"
    RELEVANCE = "relevance"


class ClaimVerdict(StrEnum):
    """What the judge says of a claim: borne out by the context, denied by it, or neither."""

    YES = "yes"
    NO = "no"
    IDK = "idk"


class GroundednessMode(StrEnum):
    """Whether groundedness asks the NLI model as well: `rerank_nli`, or goes by relevance alone: `rerank`."""

    RERANK_NLI = "rerank_nli"
    RERANK = "rerank"


class Status(StrEnum):
    """Outcome of one metric. `success` is a score at or above the threshold, `failure` one below it."""

    SUCCESS = "success"
    FAILURE = "failure"
    SKIPPED = "skipped"
    ERROR = "error"


class SkipReason(StrEnum):
    """Why a metric has no score, in the order in which the rules are tried."""

    FINISH_REASON_BLOCKED = "finish_reason_blocked"
    RAG_CONTEXT_NULL = "rag_context_null"
    RAG_CONTEXT_TOO_SHORT = "rag_context_too_short"
    QUERY_MISSING = "query_missing"
    REFERENCE_MISSING = "reference_missing"
    COMPLETION_TOKENS_TOO_FEW = "completion_tokens_too_few"
    ABSTENTION = "abstention"
    NO_QUALIFYING_SENTENCES = "no_qualifying_sentences"
    CITED_CHUNKS_MISSING = "cited_chunks_missing"
    NO_QUALIFYING_REFERENCE = "no_qualifying_reference"


class UnscoredReason(StrEnum):
    """Why a unit of the answer, mostly a sentence, was not held against the context.

    `table_header` is the header of a table, the line below it, or a row with a single cell; `filler` is what is said
    around an answer, such as an offer to help.
    """

    HEADING = "heading"
    CODE = "code"
    TABLE_HEADER = "table_header"
    TOO_FEW_WORDS = "too_few_words"
    TOO_SHORT = "too_short"
    ABSTENTION = "abstention"
    QUESTION = "question"
    FILLER = "filler"
    OVER_LIMIT = "over_limit"


class Label(StrEnum):
    """The three classes of natural language inference, in the order of every probability row."""

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


class DiscrepancyKind(StrEnum):
    """What of a sentence its evidence refutes, though the model takes the one to follow from the other."""

    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    NAME = "name"
    NEGATION = "negation"


class EvidenceField(StrEnum):
    """The field of a chunk that a piece of evidence was read from."""

    TEXT = "text"
    HTML_TEXT = "html_text"
    TITLE = "title"
    HEADING = "heading"
    DESCRIPTION = "description"
