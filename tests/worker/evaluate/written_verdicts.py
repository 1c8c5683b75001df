"""A scorer that finds what the answers tell it to find, for tests of everything behind the scoring."""

from __future__ import annotations

from typing import Any

from groundwire.schemas import Job, MetricError, MetricResult, Result, Scorer, Status, Timing
from groundwire.worker.evaluate.dataset import LabelledRow

SCORER = Scorer(version="0", profile="evidence", config_hash="ab" * 32, model_id="fake_model", model_sha256="cd" * 32)


class WrittenVerdicts:
    """Takes an answer for what its words say: each is a sentence's probability of entailment, or `skip`, or a fault."""

    def score(self, job: Job) -> Result:
        words = job.response_text.split()
        if words == ["fault"]:
            raise ZeroDivisionError(job.response_text)
        metric = self._metric(job, words)
        return Result(
            job_id=job.id,
            trace_id=job.trace_id,
            span_id=job.span_id,
            metrics={"faithfulness": metric},
            scorer=SCORER,
            timing=Timing(),
            evaluated_at="2026-01-01T00:00:00.000Z",
        )

    def _metric(self, job: Job, words: list[str]) -> MetricResult:
        if words == ["skip"]:
            return MetricResult.model_validate({"score": None, "status": "skipped", "skip_reason": "abstention"})
        if words == ["error"]:
            problem = MetricError(code="too_large", message="it would take hours")
            return MetricResult(score=None, status=Status.ERROR, error=problem)
        sentences = [self._sentence(job, word) for word in words]
        entailed = sum(sentence["label"] == "entailment" for sentence in sentences)
        fields = {
            "score": entailed / len(sentences),
            "status": "success",
            "total_qualifying": len(sentences),
            "entailed_count": entailed,
            "sentence_results": sentences,
        }
        return MetricResult.model_validate(fields)

    def _sentence(self, job: Job, word: str) -> dict[str, Any]:
        likely = float(word)
        rest = (1 - likely) / 2
        context = job.rag_context or ""
        piece = {"context_index": 0, "field": "text", "start": 0, "end": len(context), "text": context}
        return {
            "sentence": f"Sentence {word}.",
            "start": job.response_text.index(word),
            "end": job.response_text.index(word) + len(word),
            "label": "entailment" if likely > rest else "neutral",
            "entailment_prob": likely,
            "neutral_prob": rest,
            "contradiction_prob": rest,
            "evidence": [piece],
        }


def made_row(line: int, *, supported: bool, answer: str, source: str | None = None) -> LabelledRow:
    job = Job(trace_id=f"line-{line}", span_id="s", response_text=answer, rag_context=f"Context {line}, <b>*bold*</b>.")
    return LabelledRow(line=line, id=f"r{line}", source=source, supported=supported, job=job)
