"""Fits a model's relevance floor and ceiling: `python -m groundwire.models.fit_relevance DATA [--model FOLDER]`.

DATA are files of JSON lines, plain or gzip-compressed, or folders of them; a row has `context` (a text or a list of
them), `response`, and where it is known `supported` (1 or 0). An answer sentence's relevance is that of the context
sentence that is most relevant to it. It is taken with the answer's own context and with that of another row:

- the floor is the upper quartile of foreign relevance: three of four sentences get 0 from a text that is not theirs,
  and the rest little more;
- the ceiling is the upper quartile of own relevance over supported answers: what lies above says the same in nearly the
  same words, and more likeness says nothing more about support.

Each set weighs the same, whatever its size. Half of the rows fit, the other half measures.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.models.calibration import CALIBRATION_FILE, RAW, Calibration, store_calibration
from groundwire.models.relevance import load_relevance
from groundwire.models.relevance_data import Row, data_files, provenance, read_rows
from groundwire.models.relevance_files import EMBEDDED, resolve_relevance
from groundwire.models.threads import threads_per_process
from groundwire.schemas.errors import GroundwireError, ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from groundwire.models.relevance import Relevance

QUANTILE = 0.75
"""Upper quartile, for the floor of foreign and for the ceiling of own relevance; see docs/relevance.md for others."""

MIDDLE = 0.5
"""Calibrated relevance above which a sentence counts as being about its context, in what is reported."""

_log = logging.getLogger("groundwire.models.fit_relevance")


@dataclass(frozen=True)
class RelevanceSet:
    """Raw relevances of one set; own and foreign go row by row.

    Attributes:
        own: Of each row the relevance of every answer sentence, with its own context.
        foreign: The same with the context of another row.
        supported: Of each row, whether its context supports its answer.
    """

    own: list[NDArray[np.float32]]
    foreign: list[NDArray[np.float32]]
    supported: list[bool]

    def half(self, first: int) -> RelevanceSet:
        """Give every other row, beginning with `first`, 0 or 1."""
        return RelevanceSet(self.own[first::2], self.foreign[first::2], self.supported[first::2])

    def own_supported(self) -> list[NDArray[np.float32]]:
        """Give the own relevances of supported rows."""
        return [values for values, supported in zip(self.own, self.supported, strict=True) if supported]


def measure(rows: Sequence[Row], model: Relevance) -> RelevanceSet:
    """Take the relevance of every answer with its own context and with that of the next row that has another."""
    own, foreign = [], []
    for place, row in enumerate(rows):
        followers = (*rows[place + 1 :], *rows[:place])
        other = next(follower for follower in followers if follower.context != row.context)
        own.append(model.relevance(row.answer, row.context).max(axis=1))
        foreign.append(model.relevance(row.answer, other.context).max(axis=1))
    return RelevanceSet(own, foreign, [row.supported for row in rows])


def quantile(sets: Iterable[list[NDArray[np.float32]]], share: float) -> float:
    """Give the value below which `share` of the sentences lie, each set weighing the same.

    Raises:
        ModelError: No set has a sentence.
    """
    values = [np.concatenate(rows) for rows in sets if rows]
    if not values:
        raise ModelError("no row is marked as supported: the ceiling needs some")
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in values])
    joined = np.concatenate(values)
    order = joined.argsort()
    place = int(np.searchsorted(weights[order].cumsum(), share * len(values)))
    return float(joined[order[min(place, len(joined) - 1)]])


def fit(sets: Sequence[RelevanceSet]) -> Calibration:
    """Fit floor and ceiling.

    Raises:
        ModelError: The model does not tell own from foreign text at all.
    """
    floor = round(quantile([part.foreign for part in sets], QUANTILE), 4)
    ceiling = round(quantile([part.own_supported() for part in sets], QUANTILE), 4)
    if ceiling <= floor:
        raise ModelError(f"own relevance ({ceiling}) is not above foreign ({floor}): the model can't be used on this")
    return Calibration(floor, ceiling)


def roc_auc(higher: NDArray[np.float32], lower: NDArray[np.float32]) -> float:
    """Give the chance that one of `higher` exceeds one of `lower`, ties counted as half."""
    difference = higher[:, None] - lower[None, :]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


def report(part: RelevanceSet, calibration: Calibration) -> dict[str, float]:
    """Measure a set: an answer's score is the mean of its sentences', as in groundedness."""
    own, foreign = (_answer_scores(rows, calibration) for rows in (part.own, part.foreign))
    raw_own, raw_foreign = (np.array([rows.mean() for rows in side]) for side in (part.own, part.foreign))
    figures = {
        "auc_own_foreign_raw": roc_auc(raw_own, raw_foreign),
        "auc_own_foreign": roc_auc(own, foreign),
        "foreign_sentences_above_middle": _share_above(part.foreign, calibration),
    }
    supported = np.array(part.supported)
    if supported.any():
        figures["supported_sentences_above_middle"] = _share_above(part.own_supported(), calibration)
    if supported.any() and not supported.all():
        figures["auc_supported"] = roc_auc(own[supported], own[~supported])
    return {name: round(value, 4) for name, value in figures.items()}


def _answer_scores(rows: list[NDArray[np.float32]], calibration: Calibration) -> NDArray[np.float32]:
    return np.array([calibration.calibrate(values).mean() for values in rows], np.float32)


def _share_above(rows: list[NDArray[np.float32]], calibration: Calibration) -> float:
    return float((calibration.calibrate(np.concatenate(rows)) > MIDDLE).mean())


def fit_and_measure(paths: Sequence[Path], model: Relevance, limit: int) -> dict[str, Any]:
    """Fit a model's calibration on the files; gives the record to be stored."""
    sets = {}
    for path in paths:
        sets[path.name] = measure(read_rows(path, limit), model)
        _log.info("%s: %d answers", path.name, len(sets[path.name].own))
    calibration = fit([part.half(0) for part in sets.values()])
    return {
        "model_id": model.model_id,
        "floor": calibration.floor,
        "ceiling": calibration.ceiling,
        "quantile": QUANTILE,
        "fitted_on": {path.name: provenance(path, len(sets[path.name].half(0).own)) for path in paths},
        "measured": {name: report(part.half(1), calibration) for name, part in sets.items()},
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, measure and store; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire.models.fit_relevance", description="Fit a model's relevance floor and ceiling."
    )
    parser.add_argument("data", type=Path, nargs="+", metavar="DATA", help="JSONL files, or folders of them")
    parser.add_argument("--model", default=EMBEDDED, help="folder of the model (default: the embedded one)")
    parser.add_argument("--rows", type=int, default=300, help="most rows of each file (default: %(default)s)")
    parser.add_argument("--threads", type=int, help="threads of the model (default: one per processor)")
    parser.add_argument("--output", type=Path, help="file to write (default: where the model's is looked for)")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        files = resolve_relevance(options.model)
        model = load_relevance(options.model, threads_per_process(1, options.threads), RAW)
        record = fit_and_measure(data_files(options.data), model, options.rows)
        folder = files.folder or Path(__file__).resolve().parent / "data"
        store_calibration(options.output or folder / CALIBRATION_FILE, files.sha256, record)
    except GroundwireError as error:
        _log.error("%s", error)
        return 2
    _log.info("%s", json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
