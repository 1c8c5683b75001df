"""Details of the metrics for which an LLM was asked: what it said, and what that cost."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field

from groundwire.schemas.details import Count, Finite, ResultPart, Score
from groundwire.schemas.names import ClaimVerdict, JudgeStep  # noqa: TC001 - pydantic reads the annotation at run time

Part = TypeVar("Part", bound=ResultPart)


class JudgeReply(ResultPart):
    """One thing that the judge was asked, and its response.

    Attributes:
        step: What it was asked for.
        repair: Whether it was asked for the same again, as its first response could not be used.
        raw: The response as it came, cut at its end where it is long; null where none came, or where texts are left
            out of results.
        raw_chars: Length of the whole response in characters.
        problem: Why the response could not be used; null where it could.
        prompt_tokens: Tokens that the judge read, as it says; null where it doesn't.
        completion_tokens: Tokens that it wrote, likewise.
        requests: HTTP requests that this took, those among them that were sent again after a fault.
        latency_ms: Time from the first of them to the response, in milliseconds.
    """

    step: JudgeStep
    repair: bool = False
    raw: str | None = None
    raw_chars: Count = 0
    problem: str | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    requests: Count
    latency_ms: Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class JudgeRecord(ResultPart):
    """All that the judge was asked for a metric.

    Attributes:
        model: The judge's model, as the deployment names it.
        steps: Its responses, in order.
    """

    model: str
    steps: tuple[JudgeReply, ...] = ()

    def without_texts(self) -> Self:
        """Give the same without what the judge wrote."""
        return self.model_copy(update={"steps": tuple(_without(step, "raw") for step in self.steps)})


class JudgedDetails(ResultPart):
    """What such metrics have in common. Where the metric has status error they tell how far the judge came.

    Attributes:
        judge: What it was asked.
    """

    judge: JudgeRecord

    def without_texts(self) -> Self:
        """Give the same without what the judge wrote: it quotes the job."""
        return self.model_copy(update={"judge": self.judge.without_texts()})


class JudgedClaim(ResultPart):
    """A claim of the answer.

    Attributes:
        claim: The claim in the judge's words; null where texts are left out of results.
        verdict: Whether the truths of the context bear it out; null where the judge did not come to it.
        reason: Why, in the judge's words; null likewise.
    """

    claim: str | None
    verdict: ClaimVerdict | None = None
    reason: str | None = None


class JudgedFaithfulnessDetails(JudgedDetails):
    """What faithfulness was made from.

    Attributes:
        truth_count: Number of truths that the judge found in the context.
        truths: The truths; null where texts are left out of results.
        claims: Every claim that it found in the answer, in order.
    """

    kind: Literal["judged_faithfulness"] = "judged_faithfulness"
    truth_count: Count = 0
    truths: tuple[str, ...] | None = ()
    claims: tuple[JudgedClaim, ...] = ()

    def without_texts(self) -> Self:
        """Give the same without truths, claims, their reasons and raw responses."""
        claims = tuple(_without(claim, "claim", "reason") for claim in self.claims)
        return super().without_texts().model_copy(update={"truths": None, "claims": claims})


class JudgedChunk(ResultPart):
    """The verdict on a chunk.

    Attributes:
        index: Its position in the job, from 0; the single-string form of the context is chunk 0.
        context_id: The chunk's own id, where it has one.
        relevant: Whether it helps to answer the query; a chunk without text does not, and nobody is asked.
    """

    index: Count
    context_id: str | None = None
    relevant: bool


class JudgedContextPrecisionDetails(JudgedDetails):
    """What context precision was made from.

    Attributes:
        mean_precision_at_k: The rank-aware form, as without a judge; null where there are no verdicts.
        evaluations: The verdict on every chunk, in order.
    """

    kind: Literal["judged_context_precision"] = "judged_context_precision"
    mean_precision_at_k: Score | None = None
    evaluations: tuple[JudgedChunk, ...] = ()


class JudgedQuestion(ResultPart):
    """A question that the answer would answer.

    Attributes:
        question: The question in the judge's words; null where texts are left out of results.
        similarity: Its relevance to the query as the relevance model gives it: a cosine, -1..1, of an embedder.
    """

    question: str | None
    similarity: Finite


class JudgedAnswerRelevanceDetails(JudgedDetails):
    """What answer relevance was made from.

    Attributes:
        relevance_model_id: Name of the model that compared the questions with the query; null where it came to none.
        relevance_model_sha256: Hash of its graph.
        questions: Every question, in order.
    """

    kind: Literal["judged_answer_relevance"] = "judged_answer_relevance"
    relevance_model_id: str | None = None
    relevance_model_sha256: str | None = None
    questions: tuple[JudgedQuestion, ...] = ()

    def without_texts(self) -> Self:
        """Give the same without questions and raw responses."""
        questions = tuple(_without(question, "question") for question in self.questions)
        return super().without_texts().model_copy(update={"questions": questions})


def _without(part: Part, *fields: str) -> Part:
    return part.model_copy(update=dict.fromkeys(fields))
