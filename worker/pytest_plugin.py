"""The fixture `groundwire_score`: pytest finds it wherever Groundwire is installed.

pytest imports this module in every run, so it imports nothing else until a test asks for a score.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.scorer import JobScorer


class ScoreFunction(Protocol):
    """What the fixture gives."""

    def __call__(  # noqa: PLR0913 - the fields of a job, by name
        self,
        metric: str,
        *,
        answer: str,
        contexts: Sequence[str | dict[str, Any]] | str | None = None,
        query: str | None = None,
        reference_answer: str | None = None,
        profile: str | None = None,
    ) -> float:
        """Score an answer by a metric.

        Args:
            metric: Name of the metric, such as `faithfulness`.
            answer: The answer.
            contexts: What was retrieved: a list of texts or chunks, or one text.
            query: The user's question, for the metrics that need it.
            reference_answer: An answer known to be right, for completeness.
            profile: The scorer configuration; None: `evidence`.

        Returns:
            The score, 0..1. The test fails where there is none: no assertion passes on a missing score.

        Raises:
            InvalidJobError: A field can't be used.
            ModelError: A model can't be loaded.
        """
        ...


@pytest.fixture(scope="session")
def groundwire_score() -> ScoreFunction:
    """Give a function that scores an answer; models are loaded at its first call, once a session.

    The settings come from the environment, GROUNDWIRE_MODEL among them.
    """
    loaded: list[JobScorer] = []

    def score(metric: str, *, answer: str, contexts: Any = None, **fields: Any) -> float:  # noqa: ANN401 - a job's fields
        # not before: every other run of pytest would pay for it
        from groundwire.schemas import Limits, parse_job  # noqa: PLC0415
        from groundwire.worker.scorer import JobScorer  # noqa: PLC0415
        from groundwire.worker.settings import WorkerSettings  # noqa: PLC0415

        context = "rag_context" if isinstance(contexts, str) else "contexts"
        ids = {"trace_id": "pytest", "span_id": "pytest"}
        named = {"metrics": [metric], "response_text": answer, context: contexts}
        job = parse_job(json.dumps(ids | named | fields).encode(), Limits()).job
        if not loaded:
            loaded.append(JobScorer.load(WorkerSettings.from_env()))
        found = loaded[0].score(job).metrics[metric]
        if found.score is None:
            why = found.error.message if found.error is not None else f"skipped, {found.skip_reason}"
            pytest.fail(f"groundwire_score: {metric} has no score: {why}", pytrace=False)
        return found.score

    return score
