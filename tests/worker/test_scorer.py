"""The assembly of results, on ports that answer without a model; the model itself is tested through the commands."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from groundwire.models.calibration import Calibration
from groundwire.models.pair_cache import Answers
from groundwire.models.rule_splitter import RuleSplitter
from groundwire.schemas import Composite, Job, ModelError, Status
from groundwire.worker.scorer import JobScorer, ModelIdentity
from groundwire.worker.scoring.ports import Ports
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

JOB: dict[str, Any] = {
    "trace_id": "t1",
    "span_id": "s1",
    "rag_context": "The harbour was dug in 1870 by hand. It holds forty fishing boats in winter.",
    "response_text": "The harbour was dug by hand in 1870. It holds forty boats in winter.",
    "completion_tokens": 20,
}


class AllEntailed:
    """A model that takes everything for entailed, and a counter of words."""

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
        assert temperature > 0
        return Answers(np.tile(np.array([0.9, 0.08, 0.02], np.float32), (len(pairs), 1)), 0)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


class FullRelevance:
    """Takes everything for relevant."""

    model_id = "stub"
    model_sha256 = "cd" * 32
    calibration = Calibration(0.0, 1.0)

    def relevance(self, queries: Sequence[str], passages: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(queries), len(passages)), np.float32)


def make_scorer(model_id: str = "stub", **environment: str) -> JobScorer:
    model, splitter = AllEntailed(), RuleSplitter()
    ports = Ports(
        nli=model, relevance=FullRelevance(), answer_splitter=splitter, context_splitter=splitter, tokens=model
    )
    settings = WorkerSettings.from_env({f"GROUNDWIRE_{name}": value for name, value in environment.items()})
    return JobScorer(ports, ModelIdentity(model_id, "ab" * 32), settings)


def test_a_result_says_whose_it_is_and_what_computed_it() -> None:
    job = Job(**JOB, job_id="j1", project="shop", attributes={"region": "eu"}, profile="original")
    before = datetime.now(UTC)
    result = make_scorer().score(job, ("unknown field x was ignored",), queued_ms=12.5, attempt=2)
    assert (result.job_id, result.trace_id, result.span_id, result.attempt) == ("j1", "t1", "s1", 2)
    assert (result.project, result.attributes) == ("shop", {"region": "eu"})
    assert result.warnings == ("unknown field x was ignored",)
    assert result.timing.queued_ms == 12.5
    assert result.timing.pairs >= 2
    assert result.scorer is not None
    assert result.scorer.model_dump(exclude={"config_hash"}) == {
        "version": version("groundwire"),
        "profile": "original",
        "model_id": "stub",
        "model_sha256": "ab" * 32,
    }
    evaluated = datetime.fromisoformat(result.evaluated_at)
    assert result.evaluated_at.endswith("Z")
    assert abs((evaluated - before).total_seconds()) < 60
    assert result.metrics["faithfulness"].score == 1.0


def test_a_job_without_an_id_gets_its_derived_one() -> None:
    job = Job(**JOB)
    assert make_scorer().score(job).job_id == job.id


def test_the_configuration_hash_tells_profiles_and_limits_apart() -> None:
    hashes = set()
    for scorer in (make_scorer(), make_scorer(MIN_SENTENCE_WORDS="1"), make_scorer(EXHAUSTIVE="true")):
        for profile in ("evidence", "original"):
            block = scorer.score(Job(**JOB, profile=profile)).scorer
            assert block is not None
            hashes.add(block.config_hash)
    assert len(hashes) == 6


def test_the_limits_of_the_settings_are_those_of_the_skip_rules() -> None:
    job = Job(**JOB)
    assert make_scorer().score(job).metrics["faithfulness"].status is Status.SUCCESS
    for name, value, reason in (
        ("MIN_CONTEXT_CHARS", "1000", "rag_context_too_short"),
        ("MIN_COMPLETION_TOKENS", "21", "completion_tokens_too_few"),
        ("MIN_SENTENCE_WORDS", "50", "no_qualifying_sentences"),
    ):
        assert make_scorer(**{name: value}).score(job).metrics["faithfulness"].skip_reason == reason


def test_the_mode_and_limit_of_groundedness_are_settings() -> None:
    job = Job(**JOB)
    hashes = set()
    for environment, label in (({}, "entailment"), ({"GROUNDEDNESS_MODE": "rerank"}, None)):
        result = make_scorer(**environment).score(job)
        assert result.metrics["groundedness"].sentence_results[0].label == label
        assert result.scorer is not None
        hashes.add(result.scorer.config_hash)
    assert len(hashes) == 2
    skipped = make_scorer(GROUNDEDNESS_MIN_CHARS="1000").score(job)
    assert skipped.metrics["groundedness"].skip_reason == "no_qualifying_sentences"
    assert skipped.metrics["faithfulness"].status is Status.SUCCESS


@pytest.mark.parametrize(
    ("model_id", "knows"),
    [
        ("embedded", "the model embedded knows English"),
        ("./own", "their scores hold if the model ./own knows their language"),
    ],
)
def test_a_result_warns_of_sentences_that_the_model_may_not_know(model_id: str, knows: str) -> None:
    answer = f"{JOB['response_text']} \u6e05\u6c34\u5bfa\u5efa\u4e8e778\u5e74\u3002"
    result = make_scorer(model_id).score(Job(**JOB | {"response_text": answer}), ("unknown field x was ignored",))
    assert result.warnings == (
        "unknown field x was ignored",
        f"response_text: 1 of 3 sentences is not in Latin script (Han 1); {knows}",
    )
    assert make_scorer(model_id).score(Job(**JOB)).warnings == ()


def test_early_stopping_can_be_turned_off() -> None:
    answer = "The harbour holds forty fishing boats in winter."  # the second sentence entails it, the first adds a word
    job = Job(**JOB | {"response_text": answer}, metrics=["faithfulness"])
    early, exhaustive = (make_scorer(EXHAUSTIVE=value).score(job).timing.pairs for value in ("false", "true"))
    assert (early, exhaustive) == (1, 2)


def test_a_job_gets_both_metrics_unless_it_names_its_own() -> None:
    assert list(make_scorer().score(Job(**JOB)).metrics) == ["faithfulness", "groundedness"]
    assert list(make_scorer().score(Job(**JOB, metrics=["groundedness"])).metrics) == ["groundedness"]


def test_a_relevance_model_that_is_not_there_stops_a_worker_at_once_or_is_not_missed() -> None:
    settings = {"GROUNDWIRE_RELEVANCE_MODEL": "/nosuch"}
    with pytest.raises(ModelError, match="relevance model '/nosuch' is unknown"):
        JobScorer.load(WorkerSettings.from_env(settings))
    scorer = JobScorer.load(WorkerSettings.from_env(settings | {"GROUNDWIRE_METRICS": "faithfulness"}))
    assert scorer.score(Job(**JOB)).metrics["faithfulness"].status is Status.SUCCESS


def test_texts_are_left_out_where_the_settings_say_so() -> None:
    result = make_scorer(INCLUDE_TEXT="false").score(Job(**JOB))
    assert "harbour" not in result.model_dump_json()
    sentences = result.metrics["faithfulness"].sentence_results
    answer = JOB["response_text"]
    assert [answer[s.start : s.end] for s in sentences] == [
        "The harbour was dug by hand in 1870.",
        "It holds forty boats in winter.",
    ]
    assert all(sentence.evidence for sentence in sentences)


def test_a_result_stays_within_its_limit_of_size() -> None:
    job = Job(**JOB | {"response_text": "The harbour was dug by hand in 1870. " * 200})
    result = make_scorer(MAX_RESULT_BYTES="8192").score(job)
    assert len(result.model_dump_json().encode()) <= 8192
    assert result.metrics["faithfulness"].total_qualifying == 200
    assert "dropped: " in result.warnings[-1]


def test_the_composite_weighs_what_has_a_score_and_tells_what_is_missing() -> None:
    job = Job(**JOB, metrics=["faithfulness"])
    made = make_scorer().score(job).composite
    assert made == Composite(score=1.0, coverage=0.4, weights={"faithfulness": 1.0})
    made = make_scorer(WEIGHTS="faithfulness=1,groundedness=3").score(job).composite
    assert made == Composite(score=1.0, coverage=0.25, weights={"faithfulness": 1.0})


def test_a_metric_without_a_weight_is_left_out_of_the_composite() -> None:
    made = make_scorer(WEIGHTS="answer_relevance=1").score(Job(**JOB, metrics=["faithfulness"])).composite
    assert made == Composite(score=None, coverage=0.0, weights={})


def test_a_skipped_metric_is_missing_from_the_composite() -> None:
    result = make_scorer(MIN_CONTEXT_CHARS="1000").score(Job(**JOB, metrics=["faithfulness"]))
    assert result.composite == Composite(score=None, coverage=0.0, weights={})


def test_a_job_that_is_scored_once_more_names_the_first() -> None:
    assert make_scorer().score(Job(**JOB)).rescored_from is None
    assert make_scorer().score(Job(**JOB, rescored_from="j0")).rescored_from == "j0"
