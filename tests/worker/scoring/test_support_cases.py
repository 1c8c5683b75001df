"""Verdicts of the embedded model on what other scorers got wrong, each with the public report of its kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import Job, Label, MetricName, ProfileName
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job

if TYPE_CHECKING:
    from groundwire.worker.scoring.ports import Ports

LINES = (Path(__file__).parents[2] / "cases" / "support.jsonl").read_text("utf-8").splitlines()
CASES = [pytest.param(json.loads(line), id=f"{json.loads(line)['from']}-{number}") for number, line in enumerate(LINES)]

VERDICT_ALONE = PROFILES[ProfileName.EVIDENCE].with_limits(
    min_context_chars=0, min_completion_tokens=0, min_sentence_words=1
)
"""No rule skips a case, however short it is."""

OTHER_TOPICS = [
    "Tomatoes like warm soil and much sun.",
    "The meeting was moved to Tuesday by the chair.",
    "Sales of bicycles rose by a tenth in spring.",
    "The reading room lends maps for two weeks.",
    "A kettle boils faster with its lid on.",
    "The orchestra plays in the old hall on Fridays.",
    "Buses leave the port every hour in summer.",
    "The museum keeps coins from six centuries.",
    "New tyres were fitted to all the lorries.",
]


def contexts_of(case: dict[str, Any]) -> list[str]:
    """The chunks of a case, each as often as it is repeated, among others on other topics."""
    before = case.get("before", 0)
    chunks = [chunk * case.get("repeat", 1) for chunk in case["contexts"]]
    return [*OTHER_TOPICS[:before], *chunks, *OTHER_TOPICS[before : before + case.get("after", 0)]]


@pytest.mark.parametrize("case", CASES)
def test_the_verdict_on_a_known_pitfall(real_ports: Ports, case: dict[str, Any]) -> None:
    job = Job(trace_id="t1", span_id="s1", response_text=case["text"], contexts=contexts_of(case))
    metric = score_job(job, VERDICT_ALONE, real_ports, [MetricName.FAITHFULNESS]).metrics["faithfulness"]
    verdicts = [result for result in metric.sentence_results if result.unscored_reason is None]
    assert [result.label is Label.ENTAILMENT for result in verdicts] == case["supported"]
    if "evidence" in case:
        assert [result.evidence[0].context_index for result in verdicts] == [case["evidence"]]
