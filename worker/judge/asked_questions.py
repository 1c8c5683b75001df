"""Answer relevance by a judge: how near the questions that the answer would answer are to the query."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from groundwire.schemas import (
    JudgedAnswerRelevanceDetails,
    JudgedQuestion,
    JudgeError,
    JudgeFault,
    JudgeStep,
    MetricName,
)
from groundwire.worker.judge.reasons import answer_relevance_reason
from groundwire.worker.judge.shapes import Questions
from groundwire.worker.scoring.outcome import scored
from groundwire.worker.scoring.relatedness import DIGITS, query_of
from groundwire.worker.scoring.skip_rules import rules_on_query_and_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.schemas import MetricResult
    from groundwire.worker.judge.conversation import Conversation
    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.skip_rules import SkipRule


class AskedQuestions:
    """The metric for one job: the mean similarity of the query with questions made from the answer, cut to 0..1.

    Args:
        case: The job; its profile says how many questions.
        conversation: Asks the judge.
    """

    name = MetricName.ANSWER_RELEVANCE

    def __init__(self, case: Case, conversation: Conversation) -> None:
        self._case = case
        self._conversation = conversation
        self._count = case.profile.judging.questions if case.profile.judging else 0
        self._questions: list[str] = []
        self._similar: list[float] = []

    @staticmethod
    def rules(case: Case) -> Sequence[SkipRule]:
        """Give the rules of answer relevance without a judge; an evasive answer is among them."""
        return rules_on_query_and_answer(case)

    @property
    def details(self) -> JudgedAnswerRelevanceDetails:
        """The questions, once they are there and compared."""
        model = self._case.relevance.model if self._similar else None
        return JudgedAnswerRelevanceDetails(
            judge=self._conversation.record,
            relevance_model_id=model and model.model_id,
            relevance_model_sha256=model and model.model_sha256,
            questions=tuple(
                JudgedQuestion(question=question, similarity=similar)
                for question, similar in zip(self._questions, self._similar, strict=False)
            ),
        )

    def ask(self) -> None:
        """Ask for the questions."""
        given = {"answer": self._case.job.response_text, "count": self._count}
        self._questions = self._conversation.ask(JudgeStep.QUESTIONS, given, Questions, self._problem_of).questions
        if not self._questions:
            raise JudgeError(JudgeFault.EMPTY, f"step {JudgeStep.QUESTIONS}: the judge made no questions of the answer")

    def result(self) -> MetricResult:
        """Compare the questions with the query, and give the score."""
        [similar] = self._case.relevance.raw([query_of(self._case)], self._questions)
        self._similar = similar.tolist()
        details = self.details
        score = min(max(fmean(self._similar), 0.0), 1.0)
        return scored(
            self._case, self.name, round(score, DIGITS), reason=answer_relevance_reason(details), details=details
        )

    def _problem_of(self, answer: Questions) -> str | None:
        found = len(answer.questions)
        return f"questions: {found} of them, where {self._count} are wanted" if found not in (0, self._count) else None
