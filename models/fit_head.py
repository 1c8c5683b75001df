"""Fits the three-way head of the embedded model: `python -m groundwire.models.fit_head DATA_DIR`.

Multinomial logistic regression on the standardised pooled vectors of the int8 graph, the one that scores, fitted on
SNLI dev and the counterfactual training pairs. Its strength of regularisation is chosen by cross-validation on those
same pairs; SNLI test, the lexical and the conjunction pairs are for measuring alone. The standardisation is folded
into the head's numbers. Needs scikit-learn, and about half an hour of one processor.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundwire.models import nli_data
from groundwire.models.build_cache import build_embedded
from groundwire.models.embedded import MODEL_SHA256, PACKAGE, PACKAGE_VERSION
from groundwire.models.head import HEAD_FILE, LABELS, Head, encode_array
from groundwire.models.nli_engine import NliEngine
from groundwire.models.threads import threads_per_process
from groundwire.schemas.errors import GroundwireError, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FITTED_ON = (nli_data.SNLI_DEV, nli_data.COUNTERFACTUAL_TRAIN)
MEASURED_ON = (nli_data.SNLI_TEST, nli_data.LEXICAL, nli_data.CONJUNCTION)

REGULARISATION = (0.001, 0.003, 0.01, 0.03, 0.1)
"""Values of scikit-learn's C that are tried. From 0.01 on the accuracy in cross-validation hardly changes any more
(0.8644 to 0.8646), so weaker regularisation is not tried."""

FOLDS = 5
PAIRS_PER_REPORT = 1024
"""Pairs between two lines of progress."""

_HIDDEN = 384
_log = logging.getLogger("groundwire.models.fit_head")


def standardised_head(
    mean: NDArray[np.float64], deviation: NDArray[np.float64], weight: NDArray[np.float64], bias: NDArray[np.float64]
) -> Head:
    """Fold `(x - mean) / deviation @ weight + bias` into one weight and one bias.

    Args:
        mean: Of each feature, [hidden].
        deviation: Of each feature, [hidden].
        weight: Fitted on the standardised features, [hidden, 3].
        bias: [3].
    """
    folded = weight / deviation[:, None]
    return Head(folded.astype(np.float32), (bias - mean @ folded).astype(np.float32))


def fit(features: NDArray[np.float32], labels: NDArray[np.int64], groups: Sequence[str]) -> tuple[Head, float, float]:
    """Fit a head.

    Args:
        features: Pooled vectors, [pairs, hidden].
        labels: Indices into LABELS, [pairs].
        groups: Each pair's premise; pairs that share one are never parted by a fold.

    Returns:
        The head, the chosen C, and the accuracy that it had in cross-validation.
    """
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - needed for fitting only
        from sklearn.model_selection import GroupKFold, cross_val_score  # noqa: PLC0415 - likewise
        from sklearn.pipeline import make_pipeline  # noqa: PLC0415 - likewise
        from sklearn.preprocessing import StandardScaler  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise ModelError("fitting a head needs the package scikit-learn: pip install scikit-learn") from error

    def pipeline(strength: float) -> Any:  # noqa: ANN401 - scikit-learn ships no types
        return make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=3000))

    folds = GroupKFold(FOLDS)
    scores: dict[float, float] = {}
    for strength in REGULARISATION:
        parts = cross_val_score(pipeline(strength), features, labels, cv=folds, groups=groups)
        scores[strength] = float(parts.mean())
        _log.info("C = %g: accuracy %.4f in cross-validation", strength, scores[strength])
    chosen = max(scores, key=scores.__getitem__)
    fitted = pipeline(chosen).fit(features, labels)
    scaler, model = fitted[0], fitted[1]
    return standardised_head(scaler.mean_, scaler.scale_, model.coef_.T, model.intercept_), chosen, scores[chosen]


def predict(head: Head, features: NDArray[np.float32]) -> NDArray[np.intp]:
    """Give the index of the most probable label of each row of features."""
    return np.asarray(np.argmax(features @ head.weight + head.bias, axis=1))


def _features(engine: NliEngine, pairs: list[tuple[str, str]], name: str) -> NDArray[np.float32]:
    parts = []
    for start in range(0, len(pairs), PAIRS_PER_REPORT):
        parts.append(engine.pooled(pairs[start : start + PAIRS_PER_REPORT]))
        _log.info("%s: %d of %d pairs", name, min(start + PAIRS_PER_REPORT, len(pairs)), len(pairs))
    return np.concatenate(parts)


def fit_and_measure(folder: Path, threads: int) -> dict[str, Any]:
    """Fit the head on the data in `folder` and measure it; gives the record that HEAD_FILE holds."""
    data = {part.name: part.read(folder) for part in (*FITTED_ON, *MEASURED_ON)}
    blank = Head(np.zeros((_HIDDEN, len(LABELS)), np.float32), np.zeros(len(LABELS), np.float32))
    with tempfile.TemporaryDirectory() as scratch:
        engine = NliEngine.load(build_embedded("int8", Path(scratch), blank), threads)
        features = {name: _features(engine, rows.pairs, name) for name, rows in data.items()}
        exact = NliEngine.load(build_embedded("fp32", Path(scratch), blank), threads)
        measured = nli_data.SNLI_TEST.name
        exact_features = _features(exact, data[measured].pairs, f"{measured}, fp32")
    names = [part.name for part in FITTED_ON]
    head, strength, cross_validated = fit(
        np.concatenate([features[name] for name in names]),
        np.concatenate([data[name].labels for name in names]),
        [premise for name in names for premise, _ in data[name].pairs],
    )
    predicted = {part.name: predict(head, features[part.name]) for part in MEASURED_ON}
    exact_predicted = predict(head, exact_features)
    return {
        "labels": list(LABELS),
        "provenance": {
            "encoder": {"package": PACKAGE, "version": PACKAGE_VERSION, "sha256": MODEL_SHA256},
            "fitted_on": [_described(part, len(data[part.name].pairs)) for part in FITTED_ON],
            "measured_on": [_described(part, len(data[part.name].pairs)) for part in MEASURED_ON],
            "method": f"multinomial logistic regression on standardised pooled vectors, C = {strength:g}",
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
        },
        "accuracy": {
            "cross-validation": round(cross_validated, 4),
            **{part.name: _share(predicted[part.name], data[part.name].labels) for part in MEASURED_ON},
            f"{measured}, fp32": _share(exact_predicted, data[measured].labels),
        },
        "int8_fp32_agreement": {measured: _share(predicted[measured], exact_predicted)},
        "bias": encode_array(head.bias),
        "weight": encode_array(head.weight),
    }


def _described(part: nli_data.PairSet, pairs: int) -> dict[str, str | int]:
    return {"name": part.name, "source": f"github.com/{part.source}", "licence": part.licence, "pairs": pairs}


def _share(left: NDArray[np.intp], right: NDArray[np.intp]) -> float:
    return round(float((left == right).mean()), 4)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, measure and write the head; gives the exit code."""
    own_file = Path(__file__).resolve().parent / "data" / HEAD_FILE
    parser = argparse.ArgumentParser(prog="python -m groundwire.models.fit_head", description="Fit the NLI head.")
    parser.add_argument("data_dir", type=Path, metavar="DATA_DIR", help="folder with the *.jsonl.gz of labelled pairs")
    parser.add_argument("--output", type=Path, default=own_file, help="file to write (default: the one in use)")
    parser.add_argument("--threads", type=int, help="threads of the model (default: one per processor)")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        record = fit_and_measure(options.data_dir, threads_per_process(1, options.threads))
    except GroundwireError as error:
        _log.error("%s", error)
        return 2
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    _log.info("%s", json.dumps({key: record[key] for key in ("accuracy", "int8_fp32_agreement")}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
