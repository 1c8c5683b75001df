"""Writes a report's files into a folder: report.json, report.md and the plots that it shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.worker.evaluate.markdown import markdown_report
from groundwire.worker.evaluate.plots import draw_plots

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groundwire.worker.evaluate.report import Evaluated, Report

JSON_NAME = "report.json"
MARKDOWN_NAME = "report.md"

_NOT_PLAIN = re.compile(r"[^\w.-]+")


def write_report(folder: Path, report: Report, evaluated: Sequence[Evaluated], *, texts: bool) -> None:
    """Write all files of a report; what an earlier one left under the same names is overwritten.

    Args:
        folder: Where they go.
        report: What goes into the JSON.
        evaluated: The files that were evaluated.
        texts: Whether the Markdown quotes sentences and evidence.
    """
    (folder / JSON_NAME).write_text(report.model_dump_json(indent=1) + "\n", "utf-8")
    stems = _stems([one.dataset.name for one in evaluated])
    plots = [draw_plots(one, folder, stem) for one, stem in zip(evaluated, stems, strict=True)]
    content = markdown_report(evaluated, plots, label_field=report.label_field, texts=texts)
    (folder / MARKDOWN_NAME).write_text(content, "utf-8")


def _stems(names: Sequence[str]) -> list[str]:
    """File names out of names of sets, each of them once, without what a link in Markdown can't hold."""
    stems: list[str] = []
    for number, name in enumerate(names, 1):
        plain = _NOT_PLAIN.sub("-", name)
        stems.append(plain if plain not in stems else f"{plain}-{number}")
    return stems
