"""The context of a job as an ordered list of texts, each with the place that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.schemas import Chunk, EvidenceField
from groundwire.worker.scoring.html_text import html_to_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.schemas import Job

HEADING_SEPARATOR = " > "

INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen, zero-width characters and the byte order mark: a text of these alone is blank to a reader."""

TEXT_FIELDS = frozenset({EvidenceField.TEXT, EvidenceField.HTML_TEXT})


@dataclass(frozen=True, slots=True)
class ContextField:
    """One text of a chunk.

    Attributes:
        context_index: Position of the chunk in the job, from 0; the single-string form of the context is chunk 0.
        context_id: The chunk's own id, where it has one.
        field: Which of its fields this is. HTML is text already, and the headings are one path.
        text: The text, not blank; offsets of passages count in it.
    """

    context_index: int
    context_id: str | None
    field: EvidenceField
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a context field, `field.text[start:end]`; offsets count code points."""

    source: ContextField
    start: int
    end: int

    @property
    def text(self) -> str:
        """The stretch itself."""
        return self.source.text[self.start : self.end]


def read_context(job: Job) -> tuple[ContextField, ...]:
    """List the texts of a job's context that are not blank.

    Chunks keep their order. Of each come title, heading path, description, text and the text of its HTML.
    """
    chunks = job.contexts or ()
    if job.rag_context is not None:
        chunks = (Chunk(text=job.rag_context),)
    return tuple(
        ContextField(index, chunk.id, field, text)
        for index, chunk in enumerate(chunks)
        for field, text in _fields(chunk)
        if not is_blank(text)
    )


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: only white space and invisible characters."""
    return all(character.isspace() or character in INVISIBLE for character in text)


def text_length(fields: Sequence[ContextField]) -> int:
    """Count the characters of the chunks' texts joined by blank lines; titles, headings, descriptions don't count."""
    return len("\n\n".join(field.text for field in fields if field.field in TEXT_FIELDS))


def _fields(chunk: Chunk) -> Iterator[tuple[EvidenceField, str]]:
    yield EvidenceField.TITLE, chunk.title or ""
    headings = (heading.strip() for heading in chunk.heading_hierarchy or ())
    yield EvidenceField.HEADING, HEADING_SEPARATOR.join(heading for heading in headings if heading)
    yield EvidenceField.DESCRIPTION, chunk.description or ""
    yield EvidenceField.TEXT, chunk.text or ""
    yield EvidenceField.HTML_TEXT, html_to_text(chunk.html) if chunk.html else ""
