from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.schemas import (
    Evidence,
    EvidenceField,
    GroundednessDetails,
    GroundednessMode,
    Label,
    MetricResult,
    Result,
    SentenceResult,
    Status,
    Timing,
)
from groundwire.worker.result_texts import fit, without_texts


def make_result(sentences: int = 3, text: str = "Tides are raised by the Moon. " * 20, **changes: Any) -> Result:
    evidence = Evidence(context_index=0, field=EvidenceField.TEXT, start=0, end=len(text), text=text)
    sentence = SentenceResult(
        sentence=text,
        start=0,
        end=len(text),
        label=Label.ENTAILMENT,
        entailment_prob=0.9,
        neutral_prob=0.1,
        contradiction_prob=0.0,
        evidence=(evidence,),
    )
    metric = MetricResult(
        score=1.0,
        status=Status.SUCCESS,
        threshold=0.5,
        total_qualifying=sentences,
        entailed_count=sentences,
        sentence_results=(sentence,) * sentences,
    )
    fields: dict[str, Any] = {
        "job_id": "j",
        "trace_id": "t",
        "span_id": "s",
        "metrics": {"faithfulness": metric},
        "scorer": None,
        "timing": Timing(),
        "evaluated_at": "2026-01-01T00:00:00.000Z",
        "attributes": {"region": "eu"},
    }
    return Result(**fields | changes)


def size(result: Result) -> int:
    return len(result.model_dump_json().encode())


def test_without_texts_keeps_offsets_labels_and_probabilities() -> None:
    whole = make_result()
    bare = without_texts(whole)
    assert "Moon" not in bare.model_dump_json()
    for before, after in zip(
        whole.metrics["faithfulness"].sentence_results, bare.metrics["faithfulness"].sentence_results, strict=True
    ):
        assert (after.start, after.end, after.label) == (before.start, before.end, before.label)
        assert (after.evidence[0].start, after.evidence[0].end) == (0, before.evidence[0].end)
        assert after.sentence is None
        assert after.evidence[0].text is None


def test_a_result_that_fits_is_left_alone() -> None:
    result = make_result()
    assert fit(result, size(result)) is result


@pytest.mark.parametrize(
    ("share", "gone"),
    [
        (0.7, "texts of evidence"),
        (0.4, "texts of evidence, sentences"),
        (0.1, "texts of evidence, sentences, sentence_results"),
    ],
)
def test_no_more_is_dropped_than_needed_and_the_warning_says_what(share: float, gone: str) -> None:
    result = make_result(sentences=40, warnings=("unknown field x was ignored",))
    limit = int(size(result) * share)
    fitted = fit(result, limit)
    assert size(fitted) <= limit
    assert fitted.warnings == ("unknown field x was ignored", f"the result exceeded {limit:,} bytes; dropped: {gone}")


def test_attributes_go_last() -> None:
    result = make_result(attributes={"note": "x" * 10_000})
    fitted = fit(result, 5_000)
    assert fitted.attributes == {}
    assert size(fitted) <= 5_000
    assert fitted.warnings[0].endswith("sentence_results, attributes")


def test_details_go_before_attributes() -> None:
    result = make_result()
    details = GroundednessDetails(
        mode=GroundednessMode.RERANK_NLI,
        relevance_model_id="m",
        relevance_model_sha256="ab",
        floor=0.1,
        ceiling=0.9,
        cites=True,
        unresolved_citations=tuple(str(number) for number in range(3000)),
    )
    metric = result.metrics["faithfulness"].model_copy(update={"details": details})
    fitted = fit(result.model_copy(update={"metrics": {"groundedness": metric}}), 4096)
    assert fitted.metrics["groundedness"].details is None
    assert fitted.attributes == {"region": "eu"}
    assert fitted.warnings[0].endswith("dropped: texts of evidence, sentences, sentence_results, details")


@given(st.integers(0, 30), st.text(max_size=200), st.integers(0, 20_000))
def test_scores_counts_and_ids_stay_whatever_the_limit(sentences: int, text: str, limit: int) -> None:
    result = make_result(sentences, text)
    fitted = fit(result, limit)
    metric, kept = result.metrics["faithfulness"], fitted.metrics["faithfulness"]
    assert (kept.score, kept.status, kept.total_qualifying) == (metric.score, metric.status, metric.total_qualifying)
    assert (fitted.job_id, fitted.trace_id, fitted.evaluated_at) == ("j", "t", result.evaluated_at)
    assert size(fitted) <= max(limit, 1_000)
