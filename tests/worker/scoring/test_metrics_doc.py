"""The worked example of docs/metrics.md, run: what the page says of a job is what it gets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import Limits, MetricName, ProfileName, parse_job
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job

if TYPE_CHECKING:
    from groundwire.worker.scoring.ports import Ports

PAGE = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text("utf-8")


@pytest.mark.parametrize("profile", ProfileName)
def test_the_example_has_the_labels_probabilities_and_evidence_of_the_page(
    real_ports: Ports, profile: ProfileName
) -> None:
    [payload] = re.findall(r"^```json\n(\{.*\})\n```$", PAGE, re.MULTILINE)
    [table] = re.findall(rf"^With profile `{profile}`:\n\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]

    job = parse_job(payload.encode(), Limits()).job
    metric = score_job(job, PROFILES[profile], real_ports, [MetricName.FAITHFULNESS]).metrics["faithfulness"]

    assert metric.reason is not None
    assert f"> {metric.reason}\n" in PAGE
    assert len(rows) == len(metric.sentence_results)
    for row, result in zip(rows, metric.sentence_results, strict=True):
        if result.label is None:
            assert row[1] == f"not scored: `{result.unscored_reason}`"
            continue
        # quantised arithmetic differs from one kind of processor to another; the page is to show what to expect
        stated = [float(cell) for cell in row[2:5]]
        given = [result.entailment_prob, result.neutral_prob, result.contradiction_prob]
        assert given == pytest.approx(stated, abs=0.08)
        assert row[1] == result.label
        assert row[5].split(", ") == [
            f"{piece.context_id} {piece.field} {piece.start}–{piece.end}"  # noqa: RUF001 - the page's dash
            for piece in result.evidence
        ]
