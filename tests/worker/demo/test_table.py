from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console

from groundwire.schemas import (
    Evidence,
    EvidenceField,
    Label,
    MetricError,
    MetricResult,
    Result,
    SentenceResult,
    SkipReason,
    Status,
    Timing,
    composite,
)
from groundwire.worker.demo.table import results_table


def make_result(trace: str, **metric: Any) -> Result:
    return Result(
        job_id="j",
        trace_id=trace,
        span_id="s",
        metrics={"faithfulness": MetricResult(**metric)},
        scorer=None,
        timing=Timing(),
        evaluated_at="2026-01-01T00:00:00.000Z",
    )


def sentence(text: str, label: Label, *evidence: str) -> SentenceResult:
    pieces = tuple(
        Evidence(context_index=0, field=EvidenceField.TEXT, start=0, end=len(piece), text=piece) for piece in evidence
    )
    return SentenceResult(sentence=text, start=0, end=len(text), label=label, evidence=pieces)


def shown(*results: Result) -> str:
    output = StringIO()
    Console(file=output, width=100).print(results_table(results))
    return output.getvalue()


def test_counts_and_the_first_unsupported_sentence_with_its_evidence() -> None:
    text = shown(
        make_result(
            "sample-mixed",
            score=1 / 3,
            status=Status.FAILURE,
            threshold=0.5,
            total_qualifying=3,
            entailed_count=1,
            contradicted_count=1,
            sentence_results=(
                sentence("Bees make honey.", Label.ENTAILMENT, "Bees produce honey."),
                sentence("Bees live\nfor ten years.", Label.CONTRADICTION, "Bees live for weeks. " * 20),
                sentence("Bees like jazz.", Label.NEUTRAL, "Bees dance."),
            ),
        )
    )
    assert "1✓ 1✗ 1?" in text
    assert "0.33" in text
    assert "✗ Bees live for ten years." in text
    assert "↳ Bees live for weeks." in text
    assert "…" in text
    assert "jazz" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_of_several_pieces_the_one_about_the_sentence_is_shown() -> None:
    claim = sentence("Support comes by telephone.", Label.CONTRADICTION, "Support", "Support comes by e-mail.")
    text = shown(make_result("t", score=0.0, status=Status.FAILURE, total_qualifying=1, sentence_results=(claim,)))
    assert "↳ Support comes by e-mail." in text


def test_skipped_and_failed_metrics_say_why() -> None:
    text = shown(
        make_result("sample-a", score=None, status=Status.SKIPPED, skip_reason=SkipReason.ABSTENTION),
        make_result(
            "sample-b", score=None, status=Status.ERROR, error=MetricError(code="scoring_failed", message="ValueError")
        ),
    )
    assert "skipped: abstention" in text
    assert "error scoring_failed: ValueError" in text


def test_markup_in_a_text_is_shown_as_it_is() -> None:
    odd = sentence("[bold]Bees[/bold] sing.", Label.NEUTRAL, "[red]Bees[/] buzz.")
    text = shown(
        make_result("sample-[i]x[/i]", score=0.0, status=Status.FAILURE, total_qualifying=1, sentence_results=(odd,))
    )
    assert "[bold]Bees[/bold] sing." in text
    assert "[red]Bees[/] buzz." in text
    assert "sample-[i]x[/i]" in text


def test_shows_groundedness_and_the_composite_beside_faithfulness() -> None:
    metrics = {
        "faithfulness": MetricResult(
            score=1.0, status=Status.SUCCESS, threshold=0.5, total_qualifying=2, entailed_count=2
        ),
        "groundedness": MetricResult(score=0.37, status=Status.FAILURE, threshold=0.5),
    }
    overall = composite({"faithfulness": 1.0, "groundedness": 0.37}, {"faithfulness": 1, "groundedness": 1})
    result = make_result("sample-both", score=1.0, status=Status.SUCCESS)
    row = shown(result.model_copy(update={"metrics": metrics, "composite": overall})).splitlines()[-2]
    assert row.split() == ["sample-both", "1.00", "2✓", "0✗", "0?", "0.37", "0.69"]
