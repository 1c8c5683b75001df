"""Faithfulness by claims: truths from the context, claims from the answer, a verdict for each claim, a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import (
    ClaimVerdict,
    JudgedClaim,
    JudgedFaithfulnessDetails,
    JudgeError,
    JudgeFault,
    JudgeStep,
    Label,
    MetricName,
)
from groundwire.worker.judge.metric import indices_problem
from groundwire.worker.judge.reasons import faithfulness_reason
from groundwire.worker.judge.rendering import rendered_context
from groundwire.worker.judge.shapes import Claims, Reason, Truths, Verdict, Verdicts
from groundwire.worker.scoring.outcome import scored
from groundwire.worker.scoring.skip_rules import FAITHFULNESS_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.schemas import MetricResult
    from groundwire.worker.judge.conversation import Conversation
    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.skip_rules import SkipRule

LABELS = {ClaimVerdict.YES: Label.ENTAILMENT, ClaimVerdict.NO: Label.CONTRADICTION, ClaimVerdict.IDK: Label.NEUTRAL}

SCORE_DIGITS = 2
"""Decimals of the score that the judge is to explain."""


class ClaimFaithfulness:
    """The metric for one job: claims that the judge does not deny, divided by claims.

    Args:
        case: The job.
        conversation: Asks the judge.
    """

    name = MetricName.FAITHFULNESS

    def __init__(self, case: Case, conversation: Conversation) -> None:
        self._case = case
        self._conversation = conversation
        self._context = rendered_context(case)
        self._truths: list[str] = []
        self._claims: list[str] = []
        self._verdicts: list[Verdict] = []
        self._reason: str | None = None

    @staticmethod
    def rules(case: Case) -> Sequence[SkipRule]:  # noqa: ARG004 - those of other metrics depend on the job
        """Give the rules of faithfulness without a judge: what they skip is not worth a question."""
        return FAITHFULNESS_RULES

    @property
    def details(self) -> JudgedFaithfulnessDetails:
        """The truths, claims and verdicts so far."""
        given = dict(enumerate(self._verdicts))
        return JudgedFaithfulnessDetails(
            judge=self._conversation.record,
            truth_count=len(self._truths),
            truths=tuple(self._truths),
            claims=tuple(
                JudgedClaim(claim=claim, verdict=given[place].verdict, reason=given[place].reason)
                if place in given
                else JudgedClaim(claim=claim)
                for place, claim in enumerate(self._claims)
            ),
        )

    def ask(self) -> None:
        """Go through the four steps; the last is left out where no claim is denied."""
        ask = self._conversation.ask
        self._truths = ask(JudgeStep.TRUTHS, {"context": self._context}, Truths).truths
        _need(self._truths, JudgeStep.TRUTHS, "the judge found no truths in the context")
        self._claims = ask(JudgeStep.CLAIMS, {"answer": self._case.job.response_text}, Claims).claims
        _need(self._claims, JudgeStep.CLAIMS, "the judge found no claims in the answer")
        numbered = [{"index": index, "claim": claim} for index, claim in enumerate(self._claims)]
        given = {"truths": self._truths, "claims": numbered}
        verdicts = ask(JudgeStep.VERDICTS, given, Verdicts, self._problem_of).verdicts
        _need(verdicts, JudgeStep.VERDICTS, "the judge gave no verdicts")
        self._verdicts = sorted(verdicts, key=lambda one: one.index)
        if any(one.verdict is ClaimVerdict.NO for one in self._verdicts):
            explained = {
                "score": round(self._score, SCORE_DIGITS),
                "verdicts": [
                    {"claim": self._claims[one.index], "verdict": one.verdict.value, "reason": one.reason}
                    for one in self._verdicts
                ],
            }
            self._reason = ask(JudgeStep.REASON, explained, Reason, _reason_problem).reason.strip()

    def result(self) -> MetricResult:
        """Give the score with the judge's reason, or the standard one where nothing is denied."""
        details = self.details
        return scored(
            self._case,
            self.name,
            self._score,
            reason=self._reason or faithfulness_reason(details),
            details=details,
            labels=[LABELS[one.verdict] for one in self._verdicts],
        )

    @property
    def _score(self) -> float:
        return sum(one.verdict is not ClaimVerdict.NO for one in self._verdicts) / len(self._verdicts)

    def _problem_of(self, answer: Verdicts) -> str | None:
        if not answer.verdicts:  # which no second try makes up for
            return None
        return indices_problem((one.index for one in answer.verdicts), range(len(self._claims)))


def _need(found: Sequence[object], step: JudgeStep, problem: str) -> None:
    if not found:
        raise JudgeError(JudgeFault.EMPTY, f"step {step}: {problem}")


def _reason_problem(answer: Reason) -> str | None:
    return None if answer.reason.strip() else "reason: it is blank"
