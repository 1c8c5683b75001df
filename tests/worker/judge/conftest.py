from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.models import RuleSplitter
from groundwire.schemas import Job, JudgeStep, MetricName, MetricResult, ProfileName
from groundwire.worker.configured_profiles import configured_profiles
from groundwire.worker.judge.configured import configured_judge
from groundwire.worker.scoring.ports import Ports
from groundwire.worker.scoring.score_job import score_job
from groundwire.worker.settings import WorkerSettings
from tests.worker.judge.judge_server import JudgeServer, judging
from tests.worker.scoring.conftest import OverlapNli, OverlapRelevance, WordCounter

if TYPE_CHECKING:
    from collections.abc import Iterator

Score = Callable[..., dict[str, MetricResult]]
"""What the fixture `score` gives."""

CONTEXTS = [
    {
        "id": "c0",
        "title": "Harbours of the north",
        "heading_hierarchy": ["Trade", "Vardal"],
        "description": "A survey of 1901",
        "html": "<p>The harbour of Vardal was dug in <b>1870</b> by hand.</p>",
    },
    {"id": "c1", "text": "It holds forty fishing boats in winter."},
]
ANSWER = "The harbour of Vardal was dug in 1870. It holds fifty boats. A lighthouse guards it."
QUERY = "When was the harbour of Vardal dug?"

TRUTHS = {"truths": ["The harbour of Vardal was dug in 1870.", "It holds forty fishing boats in winter."]}
CLAIMS = {
    "claims": ["The harbour of Vardal was dug in 1870.", "It holds fifty boats.", "A lighthouse guards the harbour."]
}
REASON = {"reason": "The answer says fifty boats, the context forty."}
QUESTIONS = {"questions": ["When was the harbour of Vardal dug?", "When was it dug?", "How many boats are there?"]}


def verdicts(*words: str) -> dict[str, Any]:
    return {
        "verdicts": [
            {"index": index, "verdict": word, "reason": f"Because of {index}."} for index, word in enumerate(words)
        ]
    }


def relevances(**of_index: bool) -> dict[str, Any]:
    return {"verdicts": [{"index": int(name[1:]), "relevant": value} for name, value in of_index.items()]}


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with judging() as server:
        answer_well(server)
        yield server


def answer_well(server: JudgeServer) -> None:
    """Have a server answer every step as it should."""
    server.answer(JudgeStep.TRUTHS, TRUTHS)
    server.answer(JudgeStep.CLAIMS, CLAIMS)
    server.answer(JudgeStep.VERDICTS, verdicts("yes", "no", "idk"))
    server.answer(JudgeStep.REASON, REASON)
    server.answer(JudgeStep.QUESTIONS, QUESTIONS)
    server.answer(JudgeStep.RELEVANCE, relevances(i0=True, i1=False))


@pytest.fixture
def score(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> Score:
    """Score a job with the judge; settings of judge mode as `judge_...`, fields of the job by their names."""
    # a folder without certificates: nobody speaks TLS here, and each client would read all of the machine's
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(Path(__file__).parent))

    def score(*metrics: MetricName, **given: Any) -> dict[str, MetricResult]:
        own = {name: given.pop(name) for name in list(given) if name.startswith("judge_")}
        settings = WorkerSettings(**{"judge_url": server.url, "judge_model": "m1", **own})
        job = Job(**{**job_fields(), "metrics": metrics, **given})
        profile = configured_profiles(settings)[job.profile or ProfileName.EVIDENCE]
        splitter = RuleSplitter()
        ports = Ports(
            nli=OverlapNli(),
            relevance=OverlapRelevance(),
            answer_splitter=splitter,
            context_splitter=splitter,
            tokens=WordCounter(),
            judged=configured_judge(settings),
        )
        return score_job(job, profile, ports, settings.metrics).metrics

    return score


def job_fields() -> dict[str, Any]:
    return {
        "trace_id": "t1",
        "span_id": "s1",
        "query": QUERY,
        "contexts": CONTEXTS,
        "response_text": ANSWER,
        "completion_tokens": 30,
        "profile": "judge",
    }
