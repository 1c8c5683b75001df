"""Fits the weights of support: `python -m groundwire.worker.evaluate.fit_support FILE... --labels supported`.

Logistic regression on what the NLI model says of the premise that entails a claim most, and on the numbers and names
that the context lacks; see `groundwire.worker.scoring.support`. It learns from the claims of supported rows and from
unsupported rows with a single claim: of several nobody knows which is at fault. Every file has the same weight, and so
have its supported and its unsupported claims. Measured by cross-validation, in which rows with the same context stay
together, and by leaving out one file after the other. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import logging
import sys
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from groundwire.models.catalogue import resolve
from groundwire.models.nli_engine import NliEngine
from groundwire.models.rule_splitter import RuleSplitter
from groundwire.models.spacy_splitter import SpacySplitter
from groundwire.schemas import GroundwireError, ModelError, ProfileName
from groundwire.worker.evaluate.dataset import read_dataset
from groundwire.worker.evaluate.measures import roc_auc
from groundwire.worker.lazy_relevance import LazyRelevance
from groundwire.worker.scoring.asking import NliAsker, most_entailing
from groundwire.worker.scoring.case import Case
from groundwire.worker.scoring.ports import Ports
from groundwire.worker.scoring.profiles import PROFILES, Support
from groundwire.worker.scoring.support import Features, SupportJudge
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from groundwire.worker.evaluate.dataset import Dataset

    Model = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_log = logging.getLogger("groundwire.worker.evaluate.fit_support")

FOLDS = 5
STRENGTH = 0.3
"""scikit-learn's C. There are four features and thousands of claims: it hardly matters."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row's claims.

    Attributes:
        supported: Its label.
        fold: Which fold it belongs to; the same for all rows with its context.
        claims: Features of each claim, [claims, 4].
    """

    supported: bool
    fold: int
    claims: NDArray[np.float64]


class Accuracy(NamedTuple):
    """ROC AUC and balanced accuracy at 0.5 of the rows of a file, a row being as supported as its weakest claim."""

    auc: float
    balanced: float


class Reader:
    """Reads the features of rows; loads the models."""

    def __init__(self) -> None:
        settings = WorkerSettings.from_env({})
        engine = NliEngine.load(resolve(settings.model), settings.threads or 1)
        self._ports = Ports(
            nli=engine,
            relevance=LazyRelevance(settings.relevance_model, 1),
            answer_splitter=SpacySplitter.load(settings.spacy_model),
            context_splitter=RuleSplitter(),
            tokens=engine,
        )
        profile = PROFILES[ProfileName.EVIDENCE]
        self._profile = replace(profile, min_sentence_words=1, exhaustive=True)

    def rows(self, data: Dataset) -> list[Row]:
        """Give the rows that have something to score."""
        found = []
        for number, row in enumerate(data.rows, 1):
            case = Case(row.job, self._profile, self._ports)
            if claims := self._claims(case):
                context = "\n".join(field.text for field in case.context)
                found.append(Row(row.supported, zlib.crc32(context.encode()) % FOLDS, np.array(claims, np.float64)))
            if number % 100 == 0:
                _log.info("%s: %d of %d rows", data.name, number, len(data.rows))
        return found

    def _claims(self, case: Case) -> list[Features]:
        claims = [sentence.claim for sentence in case.sentences if sentence.unscored_reason is None]
        source, judge = case.premise_source, SupportJudge(case.context, Support(), case.chunks_about)
        asker = NliAsker(self._ports.nli, self._profile.temperature, exhaustive=True)
        held = asker.hold([(claim, source.premises(claim)) for claim in claims])
        best = map(most_entailing, held)
        return [judge.features(claim, one.premise, one.said) for claim, one in zip(claims, best, strict=True)]


def fit(files: Iterable[Sequence[Row]]) -> tuple[NDArray[np.float64], float]:
    """Fit weights [4] and bias."""
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - needed for fitting only
    except ImportError as error:
        raise ModelError("fitting needs the package scikit-learn: pip install scikit-learn") from error
    features: list[NDArray[np.float64]] = []
    labels: list[bool] = []
    weights: list[float] = []
    for rows in files:
        used = [row for row in rows if row.supported or len(row.claims) == 1]
        count = {label: sum(len(row.claims) for row in used if row.supported is label) for label in (True, False)}
        for row in used:
            features += list(row.claims)
            labels += [row.supported] * len(row.claims)
            weights += [1000 / count[row.supported]] * len(row.claims)
    model: Any = LogisticRegression(C=STRENGTH, max_iter=1000).fit(np.array(features), labels, sample_weight=weights)
    return model.coef_[0], float(model.intercept_[0])


def accuracy(rows: Sequence[Row], odds: NDArray[np.float64]) -> Accuracy:
    """Measure the log-odds [rows] of rows."""
    supported = np.array([row.supported for row in rows])
    found = (odds[supported] > 0).mean(), (odds[~supported] <= 0).mean()
    return Accuracy(roc_auc(supported, odds) or 0.0, float(np.mean(found)))


def odds_of(rows: Sequence[Row], weights: NDArray[np.float64], bias: float) -> NDArray[np.float64]:
    """Give the log-odds of each row: those of its weakest claim."""
    return np.array([(row.claims @ weights).min() + bias for row in rows])


def cross_validated(files: dict[str, list[Row]]) -> dict[str, Accuracy]:
    """Measure every row by weights that were fitted without its context."""
    odds = {name: np.zeros(len(rows)) for name, rows in files.items()}
    for fold in range(FOLDS):
        fitted = fit([[row for row in rows if row.fold != fold] for rows in files.values()])
        for name, rows in files.items():
            mine = np.array([row.fold == fold for row in rows])
            odds[name][mine] = odds_of(rows, *fitted)[mine]
    return {name: accuracy(rows, odds[name]) for name, rows in files.items()}


def left_out(files: dict[str, list[Row]]) -> dict[str, Accuracy]:
    """Measure every file by weights that were fitted on the others."""
    return {
        name: accuracy(rows, odds_of(rows, *fit([other for key, other in files.items() if key != name])))
        for name, rows in files.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, measure and print; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire.worker.evaluate.fit_support", description="Fit the weights of support."
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled JSONL, plain or gzipped")
    parser.add_argument("--labels", required=True, metavar="FIELD", help="the field with the label")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        data = [read_dataset(path, options.labels, ProfileName.EVIDENCE) for path in options.files]
        reader = Reader()
        files = {one.name: reader.rows(one) for one in data}
        measured = {"cross-validation": cross_validated(files)}
        if len(files) > 1:
            measured["file left out"] = left_out(files)
        weights, bias = fit(files.values())
    except GroundwireError as error:
        _log.error("%s", error)
        return 2
    measured["fitted on all"] = {name: accuracy(rows, odds_of(rows, weights, bias)) for name, rows in files.items()}
    for how, found in measured.items():
        _log.info("%s", how)
        for name, one in found.items():
            _log.info("  %-24s ROC AUC %.3f  balanced accuracy %.3f", name, one.auc, one.balanced)
    named = ", ".join(f"{name} {weight:.3f}" for name, weight in zip(Features._fields, weights, strict=True))
    _log.info("bias %.3f, %s", bias, named)
    return 0


if __name__ == "__main__":
    sys.exit(main())
