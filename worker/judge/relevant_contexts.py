"""Context precision by a judge: it marks each chunk, by its index, as relevant to the query or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import (
    JudgedChunk,
    JudgedContextPrecisionDetails,
    JudgeError,
    JudgeFault,
    JudgeStep,
    MetricName,
)
from groundwire.worker.judge.metric import indices_problem
from groundwire.worker.judge.reasons import context_precision_reason
from groundwire.worker.judge.rendering import rendered_chunks
from groundwire.worker.judge.shapes import ContextVerdicts
from groundwire.worker.scoring.context_precision import mean_precision_at_k
from groundwire.worker.scoring.outcome import scored
from groundwire.worker.scoring.relatedness import chunk_ids, query_of
from groundwire.worker.scoring.skip_rules import rules_on_query_and_context

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.schemas import MetricResult
    from groundwire.worker.judge.conversation import Conversation
    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.skip_rules import SkipRule


class RelevantContexts:
    """The metric for one job: relevant chunks divided by chunks.

    Args:
        case: The job.
        conversation: Asks the judge.
    """

    name = MetricName.CONTEXT_PRECISION

    def __init__(self, case: Case, conversation: Conversation) -> None:
        self._case = case
        self._conversation = conversation
        self._chunks = rendered_chunks(case)
        self._relevant: dict[int, bool] = {}

    @staticmethod
    def rules(case: Case) -> Sequence[SkipRule]:
        """Give the rules of context precision without a judge."""
        return rules_on_query_and_context(case)

    @property
    def details(self) -> JudgedContextPrecisionDetails:
        """The verdicts, once they are there."""
        evaluations = tuple(
            JudgedChunk(index=index, context_id=name, relevant=self._relevant.get(index, False))
            for index, name in enumerate(chunk_ids(self._case))
            if self._relevant
        )
        return JudgedContextPrecisionDetails(
            judge=self._conversation.record,
            mean_precision_at_k=mean_precision_at_k([one.relevant for one in evaluations]) if evaluations else None,
            evaluations=evaluations,
        )

    def ask(self) -> None:
        """Ask for the verdicts on all chunks that have text."""
        contexts = [{"index": index, "text": text} for index, text in self._chunks.items()]
        given = {"question": query_of(self._case), "contexts": contexts}
        verdicts = self._conversation.ask(JudgeStep.RELEVANCE, given, ContextVerdicts, self._problem_of).verdicts
        if not verdicts:
            raise JudgeError(JudgeFault.EMPTY, f"step {JudgeStep.RELEVANCE}: the judge gave no verdicts")
        self._relevant = {one.index: one.relevant for one in verdicts}

    def result(self) -> MetricResult:
        """Give the score; chunks without text count as irrelevant."""
        details = self.details
        relevant = [one.relevant for one in details.evaluations]
        return scored(
            self._case,
            self.name,
            relevant.count(True) / len(relevant),
            reason=context_precision_reason(details),
            details=details,
        )

    def _problem_of(self, answer: ContextVerdicts) -> str | None:
        if not answer.verdicts:  # which no second try makes up for
            return None
        return indices_problem((one.index for one in answer.verdicts), sorted(self._chunks))
