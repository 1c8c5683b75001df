from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.models import Calibration
from groundwire.schemas import GroundednessMode, MetricName, MetricResult, ProfileName, Status
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports

ANY_EXAMPLE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
WORDS = ("harbour", "mill", "grinds", "rye", "not", "boats", "winter", "valley", "[1]", "[2, 4]", "hand", "\n", "1870.")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
CONTEXTS = st.lists(TEXTS, max_size=5)


class Given:
    """Relevance as told: of the n-th passage that it sees the n-th value, for any query."""

    model_id = "given"
    model_sha256 = "ef" * 32
    calibration = Calibration(0.2, 0.8)

    def __init__(self, values: Sequence[float]) -> None:
        self._values = values
        self._seen: dict[str, int] = {}

    def relevance(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float32]:
        row = [self._values[self._seen.setdefault(p, len(self._seen)) % len(self._values)] for p in passages]
        return np.array([row] * len(queries), np.float32).reshape(len(queries), len(passages))


@pytest.fixture
def ground(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., MetricResult]:
    def ground(
        profile: ProfileName = ProfileName.EVIDENCE,
        mode: GroundednessMode = GroundednessMode.RERANK_NLI,
        model: Given | None = None,
        **fields: Any,
    ) -> MetricResult:
        configured = PROFILES[profile].with_grounding(mode=mode, min_sentence_chars=8)
        used = replace(ports, relevance=model) if model else ports
        return score_job(make_job(**fields), configured, used, [MetricName.GROUNDEDNESS]).metrics["groundedness"]

    return ground


@ANY_EXAMPLE
@given(TEXTS, CONTEXTS, st.sampled_from(MODELS_PROFILES), st.sampled_from(GroundednessMode))
def test_a_score_is_in_0_to_1_and_the_same_each_time(
    ground: Callable[..., MetricResult],
    answer: str,
    contexts: list[str],
    profile: ProfileName,
    mode: GroundednessMode,
) -> None:
    metric = ground(profile, mode, response_text=answer, contexts=contexts)
    assert (metric.score is None) is (metric.status is Status.SKIPPED)
    assert metric.score is None or 0 <= metric.score <= 1
    assert "NaN" not in metric.model_dump_json()
    assert ground(profile, mode, response_text=answer, contexts=contexts) == metric


@ANY_EXAMPLE
@given(TEXTS, CONTEXTS, st.sampled_from(MODELS_PROFILES))
def test_a_contradiction_can_only_lower_the_score(
    ground: Callable[..., MetricResult], answer: str, contexts: list[str], profile: ProfileName
) -> None:
    by_mode = [ground(profile, mode, response_text=answer, contexts=contexts) for mode in GroundednessMode]
    with_nli, without = (metric.score for metric in by_mode)
    if with_nli is None or without is None:
        assert with_nli is without
    else:
        assert with_nli in (0.0, without)
        assert (by_mode[0].contradicted_count > 0) <= (with_nli == 0.0)


@ANY_EXAMPLE
@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=6),
    st.lists(st.floats(0, 0.5), min_size=6, max_size=6),
)
def test_more_relevance_never_lowers_the_score(
    ground: Callable[..., MetricResult], values: list[float], more: list[float]
) -> None:
    fields = {
        "response_text": "The mill grinds rye. The harbour holds boats. The valley is wide.",
        "contexts": [f"The shed numbered {number} is full of hay and straw." for number in range(5)],
        "mode": GroundednessMode.RERANK,
    }
    raised = [value + step for value, step in zip(values, more, strict=False)]
    lower, higher = (ground(model=Given(given), **fields).score for given in (values, raised))
    assert lower is not None
    assert higher is not None
    assert lower <= higher


@ANY_EXAMPLE
@given(st.permutations(range(4)), st.sampled_from(GroundednessMode))
def test_the_order_of_chunks_does_not_matter_where_none_is_cited(
    ground: Callable[..., MetricResult], order: list[int], mode: GroundednessMode
) -> None:
    contexts = [
        "The harbour was dug by hand. It holds forty boats in winter.",
        "The mill grinds rye and oats. The harbour was dug by hand.",
        "A church stands on the hill. Its bell is cracked.",
        "The valley is wide, and its river is full of trout.",
    ]
    answer = "The mill grinds rye. The harbour holds forty boats. The river is not full of trout."
    base = ground(mode=mode, response_text=answer, contexts=contexts)
    shuffled = ground(mode=mode, response_text=answer, contexts=[contexts[place] for place in order])
    assert shuffled.score == base.score
    assert [one.label for one in shuffled.sentence_results] == [one.label for one in base.sentence_results]
