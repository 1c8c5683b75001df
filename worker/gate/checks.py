"""What a release is held against, minimums and an earlier release, and whether it passes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from groundwire.worker.gate.comparison import compare
from groundwire.worker.gate.scored import TRIAD_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.schemas import MetricResult, Scorer
    from groundwire.worker.gate.comparison import Drop
    from groundwire.worker.gate.report import GateReport
    from groundwire.worker.gate.scored import ScoredSet


GONE_ADVICE = "put back what is missing, or make a baseline of the rows that there are"
"""What to do about rows that a baseline has and the file has not."""


class CheckKind(StrEnum):
    """`minimum`: a mean against the SLO. `baseline`: the rows against those of an earlier release."""

    MINIMUM = "minimum"
    BASELINE = "baseline"


class Outcome(StrEnum):
    """How a check ended; `missing` is without scores to go by."""

    PASSED = "passed"
    FAILED = "failed"
    MISSING = "missing"


class Verdict(StrEnum):
    """Whether a release passes; `incomplete` is no pass: scores are missing."""

    PASSED = "passed"
    FAILED = "failed"
    INCOMPLETE = "incomplete"


class Check(BaseModel):
    """One thing that a release was held against.

    Attributes:
        kind: What it is.
        metric: Name of the metric, or `triad`.
        outcome: How it ended.
        value: The mean, or the mean drop; null where scores are missing.
        bound: The minimum, or the tolerance.
        reason: What was found, in a sentence without any text of a row.
    """

    model_config = ConfigDict(frozen=True)

    kind: CheckKind
    metric: str
    outcome: Outcome
    value: float | None
    bound: float
    reason: str


@dataclass(frozen=True, slots=True)
class Demands:
    """What a release has to reach.

    Attributes:
        minimum: The lowest mean that passes, by the name of a metric or `triad`.
        baseline: The report of an earlier release; None: there is none to compare with.
        tolerance: The drop of a metric that passes, 0..1.
    """

    minimum: Mapping[str, float]
    baseline: GateReport | None
    tolerance: float

    def checks(self, scored: ScoredSet, means: Mapping[str, float | None], seed: int) -> list[Check]:
        """Hold a scored set and its means against all of it."""
        checks = _minimum_checks(means, self.minimum)
        if self.baseline is not None:
            checks += _baseline_checks(scored, self.baseline, self.tolerance, seed)
        return checks


def _minimum_checks(means: Mapping[str, float | None], minimum: Mapping[str, float]) -> list[Check]:
    checks = []
    for name, bound in minimum.items():
        mean = means.get(name)
        if mean is None:
            what = "the means of its three metrics" if name == TRIAD_NAME else "a row with a score"
            outcome, reason = Outcome.MISSING, f"there is not {what}, and the minimum is {bound:g}"
        else:
            outcome = Outcome.PASSED if mean >= bound else Outcome.FAILED
            reason = f"the mean {mean:.4f} is {'at least' if mean >= bound else 'below'} the minimum of {bound:g}"
        checks.append(
            Check(kind=CheckKind.MINIMUM, metric=name, outcome=outcome, value=mean, bound=bound, reason=reason)
        )
    return checks


def _baseline_checks(scored: ScoredSet, baseline: GateReport, tolerance: float, seed: int) -> list[Check]:
    """Hold every metric that both have against an earlier release, see `groundwire.worker.gate.comparison`."""
    names = [name.value for name in scored.answers.metrics]
    before = {name: _known(baseline, name) for name in names}
    compared = [name for name in names if before[name]]
    problem = _incomparable(scored.scorer, baseline.scorer)
    if problem is None and not compared:
        problem = "the baseline has a score of no metric that is computed here"
    if problem is not None:
        return [_missing(name, tolerance, problem) for name in compared or names]
    checks = []
    for name in compared:
        now = {one.row.id: _score(one.metric(name)) for one in scored.scored if one.problem(name) is None}
        drop, count = compare(before[name], now, seed), len(before[name])
        gone = len(before[name].keys() - scored.answers.ids)
        held = _held(name, drop, tolerance, len(compared)) if drop.rows else None
        if held is None:
            checks.append(_missing(name, tolerance, f"of the {count:,} rows with a score then, none has a result now"))
        elif gone and held.outcome is Outcome.PASSED:
            # a release must not pass by leaving out what it can't answer; a sample leaves out nothing of the file
            problem = f"{gone:,} of the {count:,} rows with a score then {'is' if gone == 1 else 'are'} not in the file"
            checks.append(_missing(name, tolerance, f"{problem}; {GONE_ADVICE} (without: {held.reason})"))
        else:
            checks.append(held)
    return checks


def verdict_of(checks: Sequence[Check], rows_in_error: int) -> Verdict:
    """Decide. Whatever is missing makes the verdict incomplete, also where something else has failed."""
    if rows_in_error or any(check.outcome is Outcome.MISSING for check in checks):
        return Verdict.INCOMPLETE
    return Verdict.FAILED if any(check.outcome is Outcome.FAILED for check in checks) else Verdict.PASSED


def _held(name: str, drop: Drop, tolerance: float, compared: int) -> Check:
    failed = drop.is_regression(tolerance, compared)
    moved = f"{drop.fell:,} fell, {drop.rose:,} rose" + (f", {drop.lost:,} lost their score" if drop.lost else "")
    way = f"{'dropped' if drop.drop > 0 else 'rose'} by {abs(drop.drop):.4f}" if drop.drop else "has not moved"
    reason = f"{way} from {drop.before:.4f} over {drop.rows:,} rows ({moved})"
    if drop.drop > tolerance and not failed:
        reason += f"; this can be noise, as {drop.by_chance:.1%} of the resamples show no drop"
    outcome = Outcome.FAILED if failed else Outcome.PASSED
    return Check(kind=CheckKind.BASELINE, metric=name, outcome=outcome, value=drop.drop, bound=tolerance, reason=reason)


def _missing(name: str, tolerance: float, reason: str) -> Check:
    return Check(
        kind=CheckKind.BASELINE, metric=name, outcome=Outcome.MISSING, value=None, bound=tolerance, reason=reason
    )


def _incomparable(now: Scorer | None, then: Scorer | None) -> str | None:
    """Say what keeps the scores of two scorers from being compared; None where nothing does."""
    if now is None or then is None:
        return f"no row {'of the baseline ' if then is None else ''}has a result"
    for what, mine, theirs in (
        ("profile", now.profile, then.profile),
        ("configuration", now.config_hash, then.config_hash),
        ("model", now.model_sha256, then.model_sha256),
    ):
        if mine != theirs:
            return f"the baseline was scored with another {what}; score its answers again with this one"
    return None


def _known(report: GateReport, name: str) -> dict[str, float]:
    found = ((row.id, row.metrics[name].score) for row in report.rows if name in row.metrics)
    return {row_id: score for row_id, score in found if score is not None}


def _score(metric: MetricResult | None) -> float | None:
    return None if metric is None else metric.score
