"""Groundwire's contenders, and the processor's own int8 rate: python -m peers.ours NAME THREADS."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from peers.int8_rate import ProductRunner
from peers.pair_texts import CONTROL_TOKENS
from peers.serving import serve, serve_pairs

from groundwire.models.catalogue import EMBEDDED, resolve
from groundwire.models.nli_engine import NliEngine
from groundwire.schemas import Job, Label, MetricName
from groundwire.worker.scorer import JobScorer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Callable


class EngineScorer:
    """The NLI engine as it is, from texts to probabilities; it makes its own batches."""

    def __init__(self, threads: int) -> None:
        self._engine = NliEngine.load(resolve(EMBEDDED), threads)
        self._texts: list[tuple[str, str]] = []

    def count(self, premise: str, hypothesis: str) -> int:
        """Count the tokens of a pair."""
        return self._engine.count_tokens(premise) + self._engine.count_tokens(hypothesis) + CONTROL_TOKENS

    def prepare(self, texts: list[tuple[str, str]], batch: int) -> None:  # noqa: ARG002 - the others need it
        """Keep the texts."""
        self._texts = texts

    def run(self) -> None:
        """Score all pairs."""
        self._engine.score(self._texts)


class AnswerJudge:
    """A worker's scoring of whole answers, faithfulness alone, in the default profile."""

    def __init__(self, threads: int) -> None:
        # without the cache of pairs: the hundred answers share documents and claims more than answers in production do
        fields = {"GROUNDWIRE_METRICS": str(MetricName.FAITHFULNESS), "GROUNDWIRE_PAIR_CACHE": "0"}
        fields["GROUNDWIRE_THREADS"] = str(threads)
        self._scorer = JobScorer.load(WorkerSettings.from_env(fields))

    def judge(self, name: str, response: str, contexts: list[str], **_: object) -> list[bool]:
        """Say for each sentence whether it is found entailed."""
        job = Job(trace_id=name, span_id="answer", response_text=response, contexts=tuple(contexts))
        metric = self._scorer.score(job).metrics[MetricName.FAITHFULNESS]
        return [one.label is Label.ENTAILMENT for one in metric.sentence_results]


def _labels(pairs: list[list[str]]) -> list[int]:
    probabilities = NliEngine.load(resolve(EMBEDDED), 1).score([(premise, claim) for premise, claim in pairs])
    columns: list[Any] = probabilities.argmax(axis=1).tolist()
    return columns


def _rate(threads: int) -> None:
    with TemporaryDirectory() as folder:
        runner = ProductRunner(threads, Path(folder))
        serve({"prepare": runner.prepare, "run": runner.run})


CONTENDERS: dict[str, Callable[[int], None]] = {
    "engine": lambda threads: serve_pairs(EngineScorer(threads)),
    "answers": lambda threads: serve({"judge": AnswerJudge(threads).judge}),
    "labels": lambda _: serve({"labels": _labels}),
    "int8-rate": _rate,
}

if __name__ == "__main__":
    CONTENDERS[sys.argv[1]](int(sys.argv[2]))
