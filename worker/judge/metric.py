"""What the judged metrics have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.schemas import JudgedDetails, MetricName, MetricResult
    from groundwire.worker.judge.conversation import Conversation
    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.skip_rules import SkipRule


class JudgedMetric(Protocol):
    """A metric of one job. It reads the job when it is made, so that it can ask in another thread.

    Attributes:
        name: Its name.
        details: What is known so far; all of it once `ask` has ended.
    """

    name: MetricName

    def __init__(self, case: Case, conversation: Conversation) -> None:
        """Read what the judge is to be told."""
        ...

    @staticmethod
    def rules(case: Case) -> Sequence[SkipRule]:
        """Give the rules by which the judge is not asked, in order."""
        ...

    @property
    def details(self) -> JudgedDetails:
        """What is known so far."""
        ...

    def ask(self) -> None:
        """Ask the judge.

        Raises:
            JudgeError: It gave no verdict that can be used.
        """
        ...

    def result(self) -> MetricResult:
        """Give the result, once `ask` has ended."""
        ...


def indices_problem(indices: Iterable[int], expected: Sequence[int]) -> str | None:
    """Say what is wrong with the indices of verdicts; None if each expected one is there once, in any order."""
    found = sorted(indices)
    if found == list(expected):
        return None
    return (
        f"verdicts: {len(found)} of them, where one is wanted for each of {len(expected)} indices, each once, "
        f"from {expected[0]} to {expected[-1]}"
    )
