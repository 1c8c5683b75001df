"""Whole answers with known labels: the cost of one by the length of its context, and how many verdicts are right."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from answers.build import load_answers

from groundwire.models.catalogue import EMBEDDED, resolve
from groundwire.models.nli_engine import NliEngine
from groundwire.schemas import Job, Label, MetricName
from groundwire.worker.scorer import JobScorer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from answers.build import Answer

    from groundwire.models import Answers

CONTEXT_WORDS = ((0, 300), (300, 1_000), (1_000, 3_100))
"""Contexts of a page, of a few chunks, of a long report; words from, and words up to."""

MILLIS = 1000


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """What was measured over the answers of one range of context lengths.

    Attributes:
        words: The range.
        answers: How many there are.
        milliseconds: CPU time of an answer, the median.
        padding: Share of padding in the tokens that the NLI model read.
        around: CPU time of all but the NLI model as a share of that of the model.
        supported_right: Share of the supported sentences that are found entailed.
        unsupported_right: Share of the others that are not.
    """

    words: tuple[int, int]
    answers: int
    milliseconds: float
    padding: float
    around: float
    supported_right: float
    unsupported_right: float


class TimedEngine(NliEngine):
    """Counts the CPU time that its answers take.

    Attributes:
        seconds: So far.
    """

    seconds = 0.0

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float = 1.0) -> Answers:
        """Score pairs, on the clock."""
        start = time.process_time()
        answers = super().answer(pairs, temperature)
        self.seconds += time.process_time() - start
        return answers


def measure_answers(step: int) -> list[AnswerFigures]:
    """Score every `step`-th of the hundred answers for faithfulness in the default profile, with one thread."""
    settings = WorkerSettings.from_env({"GROUNDWIRE_THREADS": "1", "GROUNDWIRE_METRICS": "faithfulness"})
    # without a cache of pairs: answers share documents and claims
    engine = TimedEngine.load(resolve(EMBEDDED), threads=1)
    scorer = JobScorer.around(engine, settings)
    answers = load_answers()[::step]
    _score(scorer, answers[0])
    figures = []
    for low, high in CONTEXT_WORDS:
        tokens, padding, asked = engine.tokens, engine.padding, engine.seconds
        scored = [(answer, _score(scorer, answer)) for answer in answers if low <= answer.context_words < high]
        tokens, padding = engine.tokens - tokens, engine.padding - padding
        asked, taken = engine.seconds - asked, sum(seconds for _, (seconds, _) in scored)
        verdicts = [pair for answer, (_, found) in scored for pair in zip(answer.labels, found, strict=True)]
        figures.append(
            AnswerFigures(
                (low, high),
                len(scored),
                statistics.median(seconds for _, (seconds, _) in scored) * MILLIS,
                padding / (tokens + padding),
                (taken - asked) / asked,
                _share([found for supported, found in verdicts if supported]),
                _share([not found for supported, found in verdicts if not supported]),
            )
        )
    return figures


def _score(scorer: JobScorer, answer: Answer) -> tuple[float, list[bool]]:
    """Return the CPU seconds of an answer, and for each sentence whether it was found entailed."""
    job = Job(trace_id=answer.id, span_id="answer", response_text=answer.response, contexts=answer.contexts)
    start = time.process_time()
    metric = scorer.score(job).metrics[MetricName.FAITHFULNESS]
    return time.process_time() - start, [one.label is Label.ENTAILMENT for one in metric.sentence_results]


def _share(right: Sequence[bool]) -> float:
    return statistics.fmean(right)
