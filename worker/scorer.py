"""From a job to its result: the models loaded once, the pure scoring, and what a result says about its origin."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Self

from groundwire.models.catalogue import entries, resolve
from groundwire.models.nli_engine import NliEngine
from groundwire.models.rule_splitter import RuleSplitter
from groundwire.models.spacy_splitter import SpacySplitter
from groundwire.models.threads import threads_per_process
from groundwire.schemas import MetricName, ProfileName, Result, Scorer, Timing, composite
from groundwire.schemas.clock import utc_now
from groundwire.worker.configured_profiles import configured_profiles
from groundwire.worker.judge.configured import configured_judge
from groundwire.worker.lazy_relevance import LazyRelevance
from groundwire.worker.result_texts import fit, without_texts
from groundwire.worker.scoring.ports import Ports
from groundwire.worker.scoring.score_job import score_job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.schemas import Composite, Job, MetricResult
    from groundwire.worker.settings import WorkerSettings


NLI_ALONE = frozenset({MetricName.FAITHFULNESS, MetricName.COMPLETENESS})
"""Metrics that ask no relevance model."""

MILLIS_DIGITS = 3
"""Decimals of the timings: microseconds, below which a clock's reading means nothing."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which NLI model computed a result.

    Attributes:
        model_id: Its name in the catalogue.
        sha256: Hash of the weights that are run.
    """

    model_id: str
    sha256: str


class JobScorer:
    """Scores one job at a time. Holds the models; make one in each process, after a fork.

    Args:
        ports: The models and splitters behind the interfaces of scoring.
        model: Which NLI model that is.
        settings: Defaults, limits and what a result may hold.
    """

    def __init__(self, ports: Ports, model: ModelIdentity, settings: WorkerSettings) -> None:
        self._ports = ports
        self._model = model
        self._settings = settings
        self._version = version("groundwire")
        self._knows_english_only = model.model_id in {entry.name for entry in entries()}
        self._profiles = configured_profiles(settings)
        self._config_hashes = {name: profile.config_hash for name, profile in self._profiles.items()}

    @classmethod
    def load(cls, settings: WorkerSettings) -> Self:
        """Load the models that the settings name, building what is not built yet.

        Args:
            settings: Which models, and how many threads; 0 threads are as many as there are processors to use.

        Raises:
            ModelError: when a model or a package that it needs is missing or altered.
            SettingsError: The settings of judge mode don't fit each other, or its package is missing.
        """
        threads = threads_per_process(1, settings.threads or None)
        return cls.around(NliEngine.load(resolve(settings.model), threads, settings.pair_cache), settings)

    @classmethod
    def around(cls, engine: NliEngine, settings: WorkerSettings) -> Self:
        """Load all models but the NLI model, which is there already: whoever loaded it can see what it counts.

        Raises:
            ModelError: when a model or a package that it needs is missing or altered.
            SettingsError: The settings of judge mode don't fit each other, or its package is missing.
        """
        threads = threads_per_process(1, settings.threads or None)
        relevance = LazyRelevance(settings.relevance_model, threads)
        if not NLI_ALONE.issuperset(settings.metrics):
            # one that can't be loaded is better known now than at the first job
            _ = relevance.model
        ports = Ports(
            nli=engine,
            relevance=relevance,
            answer_splitter=SpacySplitter.load(settings.spacy_model),
            context_splitter=RuleSplitter(),
            tokens=engine,
            judged=configured_judge(settings),
        )
        return cls(ports, ModelIdentity(engine.model_id, engine.model_sha256), settings)

    def score(self, job: Job, warnings: Sequence[str] = (), queued_ms: float | None = None, attempt: int = 1) -> Result:
        """Compute the metrics of a job.

        Args:
            job: The job.
            warnings: What its sender should know, from parsing it.
            queued_ms: How long it waited, in milliseconds; null outside the queue.
            attempt: Which start of the job this is, from 1.

        Returns:
            The result, without texts where the settings leave them out, and within their limit of size.
        """
        profile = self._profiles[job.profile or ProfileName.EVIDENCE]
        scored = score_job(job, profile, self._ports, self._settings.metrics)
        result = Result(
            job_id=job.id,
            trace_id=job.trace_id,
            span_id=job.span_id,
            project=job.project,
            attributes=job.attributes or {},
            rescored_from=job.rescored_from,
            metrics=scored.metrics,
            composite=self._composite(scored.metrics),
            scorer=Scorer(
                version=self._version,
                profile=profile.name,
                config_hash=self._config_hashes[profile.name],
                model_id=self._model.model_id,
                model_sha256=self._model.sha256,
            ),
            timing=Timing(
                queued_ms=queued_ms,
                split_ms=round(scored.split_ms, MILLIS_DIGITS),
                nli_ms=round(scored.nli_ms, MILLIS_DIGITS),
                relevance_ms=round(scored.relevance_ms, MILLIS_DIGITS),
                total_ms=round(scored.total_ms, MILLIS_DIGITS),
                pairs=scored.pairs,
                cached_pairs=scored.cached_pairs,
            ),
            warnings=(*warnings, *self._on_scripts(scored.foreign_scripts)),
            evaluated_at=utc_now(),
            attempt=attempt,
        )
        if not self._settings.include_text:
            result = without_texts(result)
        return fit(result, self._settings.max_result_bytes)

    def _on_scripts(self, foreign_scripts: str | None) -> list[str]:
        """Warn of sentences that the model can't judge well; of a model of one's own only its owner knows."""
        if foreign_scripts is None:
            return []
        knows = f"the model {self._model.model_id} knows English"
        if not self._knows_english_only:
            knows = f"their scores hold if the model {self._model.model_id} knows their language"
        return [f"response_text: {foreign_scripts}; {knows}"]

    def _composite(self, metrics: Mapping[str, MetricResult]) -> Composite:
        """Weigh the metrics; one that the settings give no weight is left out, as they say."""
        scores = {name: metric.score for name, metric in metrics.items()}
        return composite(scores, dict.fromkeys(scores, 0.0) | self._settings.weights)
