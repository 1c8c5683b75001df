"""What a gate found, as the JSON that other programs read and that the next release is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwire.schemas import Scorer, SettingsError, SkipReason, Status
from groundwire.schemas.clock import utc_now
from groundwire.schemas.job import shown_name
from groundwire.worker.gate.checks import Check, Demands, Verdict, verdict_of
from groundwire.worker.gate.notes import notes_on
from groundwire.worker.gate.resampling import Interval, interval, resampled_means
from groundwire.worker.gate.scored import TRIAD_NAME, triad_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.gate.scored import ScoredAnswer, ScoredSet

Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


ADVICE = "name the report.json of an earlier run"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Summary(_Part):
    """A metric over all rows.

    Attributes:
        mean: Mean of the rows that have a score; null where none has.
        interval: The mean's 95 % interval by bootstrap over the rows.
        scored: Rows with a score.
        skipped: Rows that were skipped, by the reason.
        errors: Rows in error.
    """

    mean: Score | None
    interval: Interval | None
    scored: int
    skipped: dict[str, int]
    errors: int


class Triad(_Part):
    """The mean of the means of faithfulness, context relevance and answer relevance.

    Attributes:
        mean: Their mean; null where one of them has no score at all, or is not computed.
        interval: Its 95 % interval by bootstrap over the rows.
    """

    mean: Score | None
    interval: Interval | None


class RowMetric(_Part):
    """A metric of a row; `problem` says why it is in error, and holds no text of the row."""

    score: Score | None
    status: Status
    skip_reason: SkipReason | None = None
    problem: str | None = None


class RowReport(_Part):
    """A row: its line in the file, from 1, its id, and its metrics by name."""

    line: int
    id: str
    metrics: dict[str, RowMetric]


class GateReport(_Part):
    """An evaluation.

    Attributes:
        v: Version of the format.
        kind: Tells it from the report on labelled rows.
        evaluated_at: RFC 3339 time in UTC.
        dataset: The file's name without folder and endings.
        path: The file, as it was named.
        rows_in_file: How many rows it has; more than were scored where a sample was drawn.
        sample: Rows to draw; null: all.
        seed: What rows and resamples are drawn by.
        scorer: What scored them; null where no row has a result.
        verdict: Whether the release passes.
        checks: What it was held against.
        notes: What a reader should know, in sentences.
        metrics: Each metric over all rows.
        triad: The mean of three of them.
        rows: Every row.
    """

    v: Literal[1] = 1
    kind: Literal["gate"] = "gate"
    evaluated_at: str
    dataset: str
    path: str
    rows_in_file: int
    sample: int | None
    seed: int
    scorer: Scorer | None
    verdict: Verdict
    checks: tuple[Check, ...]
    notes: tuple[str, ...]
    metrics: dict[str, Summary]
    triad: Triad
    rows: tuple[RowReport, ...]

    def has_scores(self, name: str) -> bool:
        """Tell whether a row has a score of a metric."""
        return name in self.metrics and self.metrics[name].scored > 0

    @classmethod
    def read(cls, path: str) -> Self:
        """Read a report that was written earlier, to compare with.

        Raises:
            SettingsError: It can't be read, or is no such report.
        """
        if not path:
            # that of a variable that is not set, which must not switch the comparison off
            raise SettingsError(f"--baseline: is empty; {ADVICE}, or leave the flag out")
        try:
            return cls.model_validate_json(Path(path).read_bytes())
        except OSError as error:
            raise SettingsError(f"--baseline {path}: {error.strerror}; {ADVICE}") from None
        except ValidationError as error:
            fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(shown_name(str(part)) for part in fault["loc"])
            at = f", see {place}" if place else ": it is cut short or no JSON"
            problem = f"is no report of `groundwire evaluate` without --labels{at}"
            raise SettingsError(f"--baseline {path}: {problem}; {ADVICE}") from None


def _summarise(scored: ScoredSet, seed: int) -> tuple[dict[str, Summary], Triad]:
    """Compute every metric's mean and interval over all rows, and the triad's."""
    names = [name.value for name in scored.answers.metrics]
    table = scored.scores()
    means = resampled_means(table, seed)
    summaries = {}
    for column, name in enumerate(names):
        known = table[:, column][~np.isnan(table[:, column])]
        summaries[name] = Summary(
            mean=float(known.mean()) if len(known) else None,
            interval=interval(means[:, column]),
            scored=len(known),
            skipped=scored.skips(name),
            errors=scored.errors(name),
        )
    found = np.array([np.nan if one.mean is None else one.mean for one in summaries.values()])
    mean, resampled = triad_of(names, found), triad_of(names, means)
    if mean is None or resampled is None or np.isnan(mean):
        return summaries, Triad(mean=None, interval=None)
    return summaries, Triad(mean=float(mean), interval=interval(resampled))


def make_report(scored: ScoredSet, demands: Demands, *, sample: int | None, seed: int) -> GateReport:
    """Hold a scored set against what it has to reach.

    Args:
        scored: The set.
        demands: What it has to reach.
        sample: Rows that were to be drawn; None: all.
        seed: What rows and resamples are drawn by.
    """
    metrics, triad = _summarise(scored, seed)
    means = {name: one.mean for name, one in metrics.items()} | {TRIAD_NAME: triad.mean}
    checks = demands.checks(scored, means, seed)
    return GateReport(
        evaluated_at=utc_now("seconds"),
        dataset=scored.answers.name,
        path=scored.answers.path,
        rows_in_file=len(scored.answers.ids),
        sample=sample,
        seed=seed,
        scorer=scored.scorer,
        verdict=verdict_of(checks, len(scored.rows_in_error)),
        checks=tuple(checks),
        notes=notes_on(scored, demands.baseline),
        metrics=metrics,
        triad=triad,
        rows=tuple(_row(one, scored.answers.metrics) for one in scored.scored),
    )


def _row(scored: ScoredAnswer, names: Sequence[str]) -> RowReport:
    return RowReport(
        line=scored.row.line, id=scored.row.id, metrics={str(name): _metric(scored, name) for name in names}
    )


def _metric(scored: ScoredAnswer, name: str) -> RowMetric:
    found, problem = scored.metric(name), scored.problem(name)
    if found is None or problem is not None:
        return RowMetric(score=None, status=Status.ERROR, problem=problem)
    return RowMetric(score=found.score, status=found.status, skip_reason=found.skip_reason)
