"""Scorer configurations: every number that bears on a score, under a name."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from groundwire.schemas import GroundednessMode, MetricName, ProfileName

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_THRESHOLDS: Mapping[MetricName, float] = MappingProxyType(
    dict.fromkeys(MetricName, 0.5) | {MetricName.CONTEXT_RELEVANCE: 0.15, MetricName.ANSWER_RELEVANCE: 0.25}
)
"""At or above it a metric has status success. Context relevance and answer relevance are seldom near 1: these two are
what about nine of ten rows of AttributionBench dev reach with their own texts, and less than one of ten with
another's."""

JUDGED_THRESHOLDS: Mapping[MetricName, float] = MappingProxyType(
    {**DEFAULT_THRESHOLDS, MetricName.ANSWER_RELEVANCE: DEFAULT_THRESHOLDS[MetricName.FAITHFULNESS]}
)
"""Questions are nearer to a query than sentences of an answer are, so the low threshold of these is not theirs."""


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
class Support:
    """How likely a premise supports a claim: log-odds, as a weighted sum; `groundwire.worker.scoring.support`.

    Fitted as `groundwire.worker.evaluate.fit_support` does on five labelled sets, of SummEdits on every second row.
    Each has the same weight, and so have supported and unsupported claims; docs/accuracy.md has the cross-validation.

    Attributes:
        bias: Log-odds to begin with.
        entailment: For each unit of the model's log-odds of entailment.
        contradiction: Off for a probability of contradiction of 1.
        missing_number: Off for each number of the claim that the chunks about it lack.
        missing_name: Off for each name.
        unrelated: The most where a premise has none of the claim's content words: what the model then takes for support
            is chance, and another chunk about something else would change it. Below 0, and near enough to change the
            order of few claims.
        most_missing: More missing numbers, or names, than so many cost no more.
        vetoed: Log-odds where rules find a discrepancy: of the entailed claims of those sets in which they do, one in
            34 is supported.
    """

    bias: float = 0.794
    entailment: float = 0.515
    contradiction: float = 1.167
    missing_number: float = 1.081
    missing_name: float = 0.578
    unrelated: float = -0.1
    most_missing: int = 2
    vetoed: float = -3.5


@dataclass(frozen=True, slots=True)
class SureContradiction:
    """When a sentence counts as contradicted, so that a near miss does not cost a good answer its score.

    One premise among several contradicts by chance far more often than all of them do. Against "one premise is
    enough", the mean floors half as many supported answers, or fewer (AttributionBench dev 4 instead of 7 in 100, WiCE
    dev 7 instead of 26), and as many contradicted pairs of SNLI's test set: 9 in 10, with 1 in 200 of the entailed.

    Attributes:
        contradiction: Mean probability of contradiction over a sentence's premises from which on they contradict it,
            at a temperature of 1.5.
        entailment: Probability from which on a single premise clears the sentence.
        relevance: Calibrated relevance, 0..1, that the most relevant sentence of the premises needs, so that they are
            about the same thing. Chunks of a single sentence need none: nothing was picked from them.
    """

    contradiction: float = 0.6
    entailment: float = 0.5
    relevance: float = 0.3


@dataclass(frozen=True, slots=True)
class Grounding:
    """The numbers of groundedness.

    Attributes:
        mode: Whether the NLI model is asked as well.
        floor: Raw relevance that counts as none; None: the one that was fitted for the model, on single sentences.
        ceiling: Raw relevance that counts as full; None: likewise.
        whole_chunks: Whether relevance is that of a chunk as a whole, or that of its best sentence.
        max_candidates: Sentences of the chunks that are looked at for each of the answer's, those that share most words
            with it. It bounds the cost of long contexts; 16 find all that matters: among the sentences of a web page
            (WiCE dev, 112 on average) the relevance changes for 5 answers in 100, by 0.03 at most.
        min_sentence_chars: Sentences with fewer characters don't count.
        max_sentences: Of more than so many sentences the first count.
        max_chunks: Of more than so many chunks the first that are cited count, or the best.
        contradiction: When a sentence is contradicted; None: when the most entailing premise has that label.
        skips: Whether an answer with nothing to score is skipped; else it gets 0.
    """

    mode: GroundednessMode = GroundednessMode.RERANK_NLI
    floor: float | None = None
    ceiling: float | None = None
    whole_chunks: bool = False
    max_candidates: int = 16
    min_sentence_chars: int = 20
    max_sentences: int = 12
    max_chunks: int = 5
    contradiction: SureContradiction | None = field(default_factory=SureContradiction)
    skips: bool = True


@dataclass(frozen=True, slots=True)
class Relatedness:
    """From which calibrated relevance on two texts are about the same thing; docs/relevance.md has the fit.

    Attributes:
        relevant_from: Of a sentence of the context to the query, for it to be relevant: 1 in 100 sentences of foreign
            contexts is.
        drawn_from: Of a sentence of a chunk to a sentence of the answer, for the answer to draw on the chunk.
        skips: Whether a job with nothing to score is skipped; else it gets 0.
    """

    relevant_from: float = 0.236
    drawn_from: float = 0.5
    skips: bool = True


@dataclass(frozen=True, slots=True)
class Judging:
    """What an LLM is asked.

    Attributes:
        model: Its name; empty where the deployment has none.
        questions: Questions that it makes from an answer, for answer relevance; as many as evaluators of the RAG triad
            ask for.
        prompts_sha256: Hash of the prompts.
    """

    model: str = ""
    questions: int = 3
    prompts_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """A scorer configuration.

    Attributes:
        name: What jobs and results call it.
        premises: Where the NLI model's premises come from.
        grounding: The numbers of groundedness.
        relatedness: The numbers of the metrics that ask what is about the same thing.
        support: What to make of the model's probabilities; None: they are taken as they are.
        judging: What an LLM is asked in the place of these models; None: nothing.
        temperature: Divisor of the logits before the softmax; above 1 it makes the probabilities less sure.
        exhaustive: Whether a sentence is held against every premise, also after one has settled that it is entailed.
            That changes no label, but the probabilities and the evidence that are reported.
        min_context_chars: Contexts with fewer characters are not scored.
        min_completion_tokens: Answers with fewer tokens are not scored.
        min_sentence_words: Sentences with fewer words are not scored.
        thresholds: Metric to the score from which on its status is success. Not part of the hash: it doesn't change
            a score.
    """

    name: ProfileName
    premises: WholeContext | RetrievedEvidence
    grounding: Grounding
    relatedness: Relatedness = field(default_factory=Relatedness)
    support: Support | None = None
    judging: Judging | None = None
    temperature: float = 1.5
    exhaustive: bool = False
    min_context_chars: int = 50
    min_completion_tokens: int = 10
    min_sentence_words: int = 5
    thresholds: Mapping[MetricName, float] = field(default_factory=lambda: DEFAULT_THRESHOLDS)

    @property
    def config_hash(self) -> str:
        """SHA-256 in hexadecimal of everything that bears on a score: scores compare only where it is the same."""
        numbers = asdict(replace(self, thresholds={}))
        return hashlib.sha256(json.dumps(numbers, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def with_grounding(self, *, mode: GroundednessMode, min_sentence_chars: int) -> Profile:
        """Give this profile with another mode and limit of groundedness."""
        return replace(self, grounding=replace(self.grounding, mode=mode, min_sentence_chars=min_sentence_chars))

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
        ProfileName.EVIDENCE: Profile(ProfileName.EVIDENCE, RetrievedEvidence(), Grounding(), support=Support()),
        ProfileName.ORIGINAL: Profile(
            ProfileName.ORIGINAL,
            WholeContext(),
            Grounding(floor=0.2, ceiling=0.8, whole_chunks=True, contradiction=None, skips=False),
            Relatedness(skips=False),
        ),
        ProfileName.JUDGE: Profile(
            ProfileName.JUDGE,
            RetrievedEvidence(),
            Grounding(),
            support=Support(),
            judging=Judging(),
            thresholds=JUDGED_THRESHOLDS,
        ),
    }
)
