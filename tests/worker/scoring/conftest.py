from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from groundwire.models import Answers, Calibration, RuleSplitter
from groundwire.schemas import Job, MetricName, ProfileName
from groundwire.worker.scoring.ports import Ports
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import JobScore, score_job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

MODELS_PROFILES = [name for name, profile in PROFILES.items() if profile.judging is None]
"""The profiles that ask no LLM."""


class OverlapNli:
    """Entails as far as the premise has the hypothesis's words; `not` in just one of the two contradicts."""

    def __init__(self) -> None:
        self.calls: list[list[tuple[str, str]]] = []
        self.temperatures: list[float] = []

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
        assert temperature > 0
        self.temperatures.append(temperature)
        self.calls.append(list(pairs))
        return Answers(np.array([self._row(*pair) for pair in pairs], np.float32), 0)

    def _row(self, premise: str, hypothesis: str) -> tuple[float, float, float]:
        has, wants = (set(re.findall(r"\w+", text.lower())) for text in (premise, hypothesis))
        share = len(has & wants) / len(wants) if wants else 0.0
        if ("not" in has) != ("not" in wants):
            return 0.1, (1 - share) * 0.9, share * 0.9
        return share, (1 - share) * 0.8, (1 - share) * 0.2


class OverlapRelevance:
    """Relevance is the share of the query's words that the passage has."""

    model_id = "overlap"
    model_sha256 = "cd" * 32
    calibration = Calibration(0.2, 0.8)

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], list[str]]] = []

    def relevance(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append((list(queries), list(passages)))
        rows = [[self._share(query, passage) for passage in passages] for query in queries]
        return np.array(rows, np.float32).reshape(len(queries), len(passages))

    def _share(self, query: str, passage: str) -> float:
        wants, has = (set(re.findall(r"\w+", text.lower())) for text in (query, passage))
        return len(wants & has) / len(wants) if wants else 0.0


class WordCounter:
    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def nli() -> OverlapNli:
    return OverlapNli()


@pytest.fixture
def relevance() -> OverlapRelevance:
    return OverlapRelevance()


@pytest.fixture
def ports(nli: OverlapNli, relevance: OverlapRelevance) -> Ports:
    """Ports of which all but the models are cheap and real."""
    return Ports(
        nli=nli,
        relevance=relevance,
        answer_splitter=RuleSplitter(),
        context_splitter=RuleSplitter(),
        tokens=WordCounter(),
    )


@pytest.fixture
def make_job() -> Callable[..., Job]:
    def make_job(**fields: Any) -> Job:
        return Job(**{"trace_id": "t1", "span_id": "s1", "completion_tokens": 50, **fields})

    return make_job


@pytest.fixture
def score(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., JobScore]:
    def score(profile: ProfileName = ProfileName.EVIDENCE, **fields: Any) -> JobScore:
        return score_job(make_job(**fields), PROFILES[profile], ports, [MetricName.FAITHFULNESS])

    return score
