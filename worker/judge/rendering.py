"""The context as the judge reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.worker.scoring.case import Case


def rendered_chunks(case: Case) -> dict[int, str]:
    """Give each chunk that is not blank: title, headings joined by ` > `, description and text, a line for each."""
    lines: dict[int, list[str]] = {}
    for field in case.context:
        lines.setdefault(field.context_index, []).append(field.text)
    return {index: "\n".join(texts) for index, texts in lines.items()}


def rendered_context(case: Case) -> str:
    """Give all of them, with blank lines between."""
    return "\n\n".join(rendered_chunks(case).values())
