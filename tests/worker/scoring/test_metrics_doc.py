"""The worked example of docs/metrics.md, run: what the page says of a job is what it gets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import GroundednessMode, Limits, MetricName, ProfileName, parse_job
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports

PAGE = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text("utf-8")


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_the_example_has_the_labels_probabilities_and_evidence_of_the_page(
    real_ports: Ports, profile: ProfileName
) -> None:
    job = example()
    rows = table_behind(f"\nWith profile `{profile}`:\n")
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


def test_the_example_has_the_groundedness_of_the_page(real_ports: Ports) -> None:
    metric = score_job(example(), PROFILES[ProfileName.EVIDENCE], real_ports, [MetricName.GROUNDEDNESS]).metrics[
        "groundedness"
    ]
    assert metric.score == 0.0
    assert f"> {metric.reason}\n" in PAGE
    assert metric.details is not None
    assert (metric.details.citation_precision, metric.details.citation_recall) == (1.0, pytest.approx(1 / 3))
    rows = table_behind("is held against. In profile `evidence`:\n")
    assert rows.pop()[1] == f"not scored: `{metric.sentence_results[-1].unscored_reason}`"
    for row, one in zip(rows, metric.details.sentences, strict=True):
        assert [one.raw, one.calibrated] == pytest.approx([float(cell) for cell in row[1:3]], abs=0.01)
        assert row[3] == metric.sentence_results[one.sentence].label
        assert (row[5] == "yes") is bool(one.citation_supports)


def test_without_nli_the_example_has_the_mean_of_the_page(real_ports: Ports) -> None:
    profile = PROFILES[ProfileName.EVIDENCE].with_grounding(mode=GroundednessMode.RERANK, min_sentence_chars=20)
    metric = score_job(example(), profile, real_ports, [MetricName.GROUNDEDNESS]).metrics["groundedness"]
    assert f"> {metric.reason}\n" in PAGE


def example() -> Job:
    [payload] = re.findall(r"^```json\n(\{.*\})\n```$", PAGE, re.MULTILINE)
    return parse_job(payload.encode(), Limits()).job


def table_behind(text: str) -> list[list[str]]:
    [table] = re.findall(rf"{re.escape(text)}\n((?:\|.*\n)+)", PAGE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_the_example_for_the_other_five_has_their_scores_and_reasons(real_ports: Ports) -> None:
    [payload] = re.findall(r"^```jsonl\n(\{.*\})\n```$", PAGE, re.MULTILINE)
    job = parse_job(payload.encode(), Limits()).job
    rows = table_behind(f"{payload}\n```\n")
    metrics = score_job(job, PROFILES[ProfileName.EVIDENCE], real_ports, [MetricName(row[0]) for row in rows]).metrics
    assert set(metrics) == set(MetricName) - {MetricName.FAITHFULNESS, MetricName.GROUNDEDNESS}
    for name, score, reason in rows:
        assert metrics[name].score == pytest.approx(float(score), abs=0.01)
        assert metrics[name].reason == reason
