"""Scorer configurations: every number that bears on a score, under a name."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from groundwire.schemas import MetricName, ProfileName

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_THRESHOLDS: Mapping[MetricName, float] = MappingProxyType({MetricName.FAITHFULNESS: 0.5})
"""At or above it a metric has status success."""


@dataclass(frozen=True, slots=True)
class WholeContext:
    """Premises are the whole context, or large pieces of it.

    Attributes:
        max_whole_words: A context of up to so many words is one premise.
        piece_words: A longer one is cut into pieces of at most so many words.
    """

    max_whole_words: int = 512
    piece_words: int = 400


@dataclass(frozen=True, slots=True)
class RetrievedEvidence:
    """Premises are the context's sentences that share most with the answer's sentence.

    Attributes:
        sizes: How many of the best sentences each premise joins. Short premises suit what is taken over word for
            word, longer ones statements that join facts.
    """

    sizes: tuple[int, ...] = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Profile:
    """A scorer configuration.

    Attributes:
        name: What jobs and results call it.
        premises: Where the NLI model's premises come from.
        temperature: Divisor of the logits before the softmax; above 1 it makes the probabilities less sure.
        min_context_chars: Contexts with fewer characters are not scored.
        min_completion_tokens: Answers with fewer tokens are not scored.
        min_sentence_words: Sentences with fewer words are not scored.
        thresholds: Metric to the score from which on its status is success. Not part of the hash: it doesn't change
            a score.
    """

    name: ProfileName
    premises: WholeContext | RetrievedEvidence
    temperature: float = 1.5
    min_context_chars: int = 50
    min_completion_tokens: int = 10
    min_sentence_words: int = 5
    thresholds: Mapping[MetricName, float] = field(default_factory=lambda: DEFAULT_THRESHOLDS)

    @property
    def config_hash(self) -> str:
        """SHA-256 in hexadecimal of everything that bears on a score: scores compare only where it is the same."""
        numbers = asdict(replace(self, thresholds={}))
        return hashlib.sha256(json.dumps(numbers, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def with_limits(self, *, min_context_chars: int, min_completion_tokens: int, min_sentence_words: int) -> Profile:
        """Give this profile with other limits of its skip rules."""
        return replace(
            self,
            min_context_chars=min_context_chars,
            min_completion_tokens=min_completion_tokens,
            min_sentence_words=min_sentence_words,
        )


PROFILES: Mapping[ProfileName, Profile] = MappingProxyType(
    {
        ProfileName.EVIDENCE: Profile(ProfileName.EVIDENCE, RetrievedEvidence()),
        ProfileName.ORIGINAL: Profile(ProfileName.ORIGINAL, WholeContext()),
    }
)
