"""What scoring needs from the outside: an NLI model, sentence splitters and a token counter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from groundwire.models.sentences import Span


class Nli(Protocol):
    """A model of natural language inference."""

    def score(self, pairs: Sequence[tuple[str, str]], temperature: float) -> NDArray[np.float32]:
        """Score (premise, hypothesis) pairs.

        Args:
            pairs: Texts of any length; none is cut short.
            temperature: Positive divisor of the logits before the softmax.

        Returns:
            Probabilities [pairs, 3], columns entailment, neutral, contradiction.
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


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that scoring needs from the outside.

    Attributes:
        nli: The NLI model.
        answer_splitter: Cuts answers into sentences.
        context_splitter: Cuts contexts into sentences; contexts are long, so it has to be fast.
        tokens: Counts the answer's tokens where the job doesn't state them.
    """

    nli: Nli
    answer_splitter: Splitter
    context_splitter: Splitter
    tokens: TokenCounter
