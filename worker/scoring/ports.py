"""What scoring needs from the outside: models, sentence splitters, a token counter, and maybe an LLM that judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from groundwire.models.pair_cache import Answers
    from groundwire.models.relevance import Relevance
    from groundwire.models.sentences import Span
    from groundwire.schemas import MetricName, MetricResult
    from groundwire.worker.scoring.case import Case


class Nli(Protocol):
    """A model of natural language inference."""

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
        """Score (premise, hypothesis) pairs.

        Args:
            pairs: Texts of any length; none is cut short.
            temperature: Positive divisor of the logits before the softmax.

        Returns:
            Probabilities [pairs, 3], columns entailment, neutral, contradiction, and how many pairs were remembered.
        """
        ...


class Splitter(Protocol):
    """Cuts a text into sentences."""

    def split(self, text: str) -> list[Span]:
        """Give the sentences in order: disjoint, not blank, without white space at either end."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as the NLI model does."""

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without control tokens."""
        ...


class JudgedMetrics(Protocol):
    """Metrics for which a large language model is asked."""

    def compute(self, case: Case, names: Collection[MetricName]) -> Mapping[MetricName, MetricResult]:
        """Compute metrics of a job; one for which the model gives nothing that can be used has status error.

        Args:
            case: The job.
            names: Metrics out of `groundwire.worker.scoring.judged.JUDGED`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that scoring needs from the outside.

    Attributes:
        nli: The NLI model.
        relevance: The relevance model.
        answer_splitter: Cuts answers into sentences.
        context_splitter: Cuts contexts into sentences; contexts are long, so it has to be fast.
        tokens: Counts the answer's tokens where the job doesn't state them.
        judged: Asks a large language model, for profile `judge`; None: the deployment has none.
    """

    nli: Nli
    relevance: Relevance
    answer_splitter: Splitter
    context_splitter: Splitter
    tokens: TokenCounter
    judged: JudgedMetrics | None = None
