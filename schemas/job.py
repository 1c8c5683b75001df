"""The scoring job, version 1: what a producer puts on the jobs stream."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)

from groundwire.schemas.limits import MAX_ID_CHARS
from groundwire.schemas.names import MetricName, Priority, ProfileName

TEXT_ALIASES = ("content", "page_content")
"""Names under which other tools keep a chunk's text: OpenAI and Haystack `content`, LangChain `page_content`."""

TRACEPARENT = r"^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$"
"""W3C Trace Context, section 3.2: version, trace id, parent id and flags in hexadecimal."""

CARRIED_THROUGH = frozenset({"job_id", "priority", "project", "attributes", "traceparent", "rescored_from"})
"""Fields that don't bear on the score, and so not on the derived job id either."""

DERIVED_ID_CHARS = 32
"""128 bits of the content hash: two different jobs would clash after about 2**64 of them."""

_PLAIN_WORD = re.compile(r"[\w.-]{1,40}")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def shown_name(name: str) -> str:
    """A field's name as an error may show it: a sender's mistake can put text in the place of a name."""
    return name if _PLAIN_WORD.fullmatch(name) else f"(a name of {len(name)} characters)"


def json_name(value: object) -> str:
    """What JSON calls a value of this kind."""
    for kind, name in ((bool, "true or false"), ((int, float), "a number"), (str, "a string"), (list, "a list")):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "an object"


def _storable(text: str) -> str:
    """Refuse what JSON can carry but a database, a terminal or UTF-8 can't."""
    found = _UNSTORABLE.search(text)
    if found is None:
        return text
    what = "a NUL character" if found.group() == "\0" else "a lone surrogate"
    raise ValueError(f"contains {what} at position {found.start()}; remove it")


def read_contexts(value: Any) -> Any:  # noqa: ANN401 - the value is whatever the sender sent
    """Accept a JSON list inside a string: some exporters store the retrieved passages that way."""
    if not isinstance(value, str):
        return value
    advice = "send a list of chunks, a string that holds a JSON list, or a plain string as rag_context"
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError(f"is a string of {len(value)} characters that holds no JSON list; {advice}") from None
    if not isinstance(inner, list):
        raise ValueError(f"is a string that holds {json_name(inner)}; {advice}")  # noqa: TRY004 - pydantic reads ValueError
    return inner


def _read_chunk(value: Any) -> Any:  # noqa: ANN401 - the value is whatever the sender sent
    """Turn a bare string into a chunk, and a chunk's text under an alias into `text`."""
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        return value
    named = [name for name in ("text", *TEXT_ALIASES) if value.get(name) is not None]
    if len(named) > 1:
        raise ValueError(f"has its text under {' and '.join(named)}; send one of them")
    unknown = sorted(set(value) - CHUNK_FIELDS)
    if not named and value.get("html") is None and unknown:
        problem = f"has no text, but the unknown field {shown_name(unknown[0])}; send its text as text or html"
        raise ValueError(problem)
    return value | {"text": value[named[0]]} if named else value


MAX_NUMBER = 1e12
"""Bound of a retriever's score, far beyond any: JSON knows integers that overflow every float."""

MAX_TOKENS = 1_000_000_000
"""Bound of `completion_tokens`, for the same reason."""

MAX_PROJECT_CHARS = 256
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_CHARS = 4096
"""Bounds of what is carried through: it goes into every result, which has a bound of its own."""

Text = Annotated[StrictStr, AfterValidator(_storable)]
Attribute = Annotated[StrictStr, Field(max_length=MAX_ATTRIBUTE_CHARS), AfterValidator(_storable)]
Id = Annotated[StrictStr, Field(min_length=1, max_length=MAX_ID_CHARS), AfterValidator(_storable)]
Number = Annotated[StrictFloat | StrictInt, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
UnitInterval = Annotated[StrictFloat | StrictInt, Field(ge=0, le=1)]


class _Part(BaseModel):
    """A part of a job: immutable. `parse_job` decides on unknown fields before a model sees them."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Chunk(_Part):
    """A retrieved passage. Title, heading path and description come before its text when it is read.

    Attributes:
        id: The chunk's own id, by which an answer may cite it.
        text: The passage as plain text; accepted as `content` and `page_content` too.
        html: The passage as HTML; it is turned into text before it is scored. Read after `text` where both are there.
        title: Title of the document that the chunk is from.
        heading_hierarchy: Headings above the chunk, outermost first.
        description: Description of the document.
        score: Score that the retriever gave the chunk; higher is better.
    """

    id: Id | None = None
    text: Text | None = None
    html: Text | None = None
    title: Text | None = None
    heading_hierarchy: tuple[Text, ...] | None = None
    description: Text | None = None
    score: Number | None = None


IGNORED_CHUNK_FIELDS = ("metadata", "meta")
"""What LangChain and Haystack put beside a chunk's text: known, and not read."""

CHUNK_FIELDS = frozenset({*Chunk.model_fields, *TEXT_ALIASES, *IGNORED_CHUNK_FIELDS})


class Job(_Part):
    """One answer to score.

    Attributes:
        v: Version of the format.
        job_id: Idempotency key; null: derived from the content, see `id`.
        trace_id: The trace that the answer belongs to, opaque.
        span_id: The span that produced it, opaque.
        response_text: The answer.
        contexts: The retrieved chunks, in order of retrieval.
        rag_context: The retrieved context as a single string. Not together with `contexts`.
        cited_chunks: Ids of the chunks that the answer cites; null: read from its citation marks.
        query: The user's question.
        reference_answer: An answer known to be right.
        completion_tokens: Length of the answer in tokens; null: counted with the model's tokenizer.
        finish_reason: Why the LLM stopped, as its API says it.
        metrics: Metrics to compute; null: the deployment's setting.
        thresholds: Metric name to threshold in 0..1, overriding the profile's.
        profile: Name of the scorer configuration; null: `evidence`.
        priority: Which of the two job streams carries the job.
        project: Carried through to the result.
        attributes: Carried through to the result.
        traceparent: W3C trace context that the worker's spans continue.
        rescored_from: The id of the job that is scored once more by this one; `groundwire rescore` sets it.
    """

    v: Literal[1] = 1
    job_id: Id | None = None
    trace_id: Id
    span_id: Id
    response_text: Text
    contexts: Annotated[
        tuple[Annotated[Chunk, BeforeValidator(_read_chunk, json_schema_input_type=Chunk | str)], ...] | None,
        BeforeValidator(read_contexts, json_schema_input_type=list[Chunk | str] | str | None),
    ] = None
    rag_context: Text | None = None
    cited_chunks: tuple[Id, ...] | None = None
    query: Text | None = None
    reference_answer: Text | None = None
    completion_tokens: Annotated[StrictInt, Field(ge=0, le=MAX_TOKENS)] | None = None
    finish_reason: Text | None = None
    metrics: Annotated[tuple[MetricName, ...], Field(min_length=1)] | None = None
    thresholds: dict[MetricName, UnitInterval] | None = None
    profile: ProfileName | None = None
    priority: Priority = Priority.INTERACTIVE
    project: Annotated[StrictStr, Field(max_length=MAX_PROJECT_CHARS), AfterValidator(_storable)] | None = None
    attributes: Annotated[dict[Id, Attribute], Field(max_length=MAX_ATTRIBUTES)] | None = None
    traceparent: Annotated[StrictStr, Field(pattern=TRACEPARENT)] | None = None
    rescored_from: Id | None = None

    @model_validator(mode="after")
    def _one_context(self) -> Self:
        if self.contexts is not None and self.rag_context is not None:
            raise ValueError("rag_context stands beside contexts; send one of them")
        return self

    @property
    def id(self) -> str:
        """The job's id: the sender's, or one derived from the content, so that the same job has the same id."""
        return self.job_id if self.job_id is not None else self.content_hash[:DERIVED_ID_CHARS]

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 in hexadecimal of the canonical JSON of every field that bears on the score, trace and span too."""
        canonical = self.model_dump(mode="json", exclude=set(CARRIED_THROUGH), exclude_none=True)
        return hashlib.sha256(json.dumps(canonical, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def to_payload(self) -> bytes:
        """The job as the JSON that goes onto the stream."""
        return self.model_dump_json(exclude_none=True).encode()


JOB_FIELDS = frozenset(Job.model_fields)
