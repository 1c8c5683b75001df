"""`groundwire evaluate`: the verdict against people's labels, or a set of answers against what it has to reach."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING

from rich.console import Console

from groundwire.models.threads import available_cpus
from groundwire.schemas import GroundwireError, ProfileName
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.evaluate_arguments import GATE_FLAGS
from groundwire.worker.cli.evaluate_gate import run_gate
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import printable, report_error
from groundwire.worker.cli.progress import Progress
from groundwire.worker.evaluate.dataset import read_dataset
from groundwire.worker.evaluate.figure_cells import notes
from groundwire.worker.evaluate.folder import make_folder
from groundwire.worker.evaluate.report import Evaluated, make_report
from groundwire.worker.evaluate.scoring_pool import ProcessEndedError
from groundwire.worker.evaluate.scoring_run import for_measuring, score_rows
from groundwire.worker.evaluate.terminal import confusion_line, files_table, sources_table
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from groundwire.worker.evaluate.dataset import Dataset
    from groundwire.worker.evaluate.scoring_run import ScoredRow

PIPED_COLUMNS = 160
"""Width of the tables where no terminal says how wide it is."""


def run(args: Namespace) -> int:
    """Measure labelled files, or hold a file of answers against the gate."""
    if args.labels is None:
        return run_gate(args)
    unfit = [name for name in GATE_FLAGS if getattr(args, name) is not None]
    if unfit:
        raise GroundwireError(f"--{unfit[0].replace('_', '-')} goes without --labels; leave one of the two out")
    return _run_labelled(args)


def _run_labelled(args: Namespace) -> int:
    """Read all files, then score them, then show and write what was found."""
    if ProfileName(args.profile) is ProfileName.JUDGE:
        raise GroundwireError(
            "--profile judge goes without --labels: a judge gives no probabilities to measure; leave one of the two out"
        )
    settings = for_measuring(WorkerSettings.from_env(environment(args)))
    # what can't be written is better known before hours of scoring than after
    folder = _folder(args.output) if args.output is not None else None
    datasets = [read_dataset(path, args.labels, ProfileName(args.profile)) for path in args.files]
    if args.sample:
        datasets = [dataset.sample(args.sample, args.seed) for dataset in datasets]
    try:
        evaluated = _evaluate(datasets, settings, args.processes or max(1, int(available_cpus())))
    except ProcessEndedError as error:
        report_error(str(error))
        return Exit.WORK_FAILED
    _show(evaluated)
    if folder is not None:
        _write(folder, args, evaluated)
    return Exit.INCOMPLETE if any(one.figures.in_error for one in evaluated) else Exit.OK


def _evaluate(datasets: Sequence[Dataset], settings: WorkerSettings, processes: int) -> list[Evaluated]:
    rows = [row for dataset in datasets for row in dataset.rows]
    with Progress("scored", "rows", len(rows)) as progress:
        scored = _counted(score_rows(rows, settings, processes), progress)
        return [Evaluated.of(dataset, list(islice(scored, len(dataset.rows)))) for dataset in datasets]


def _counted(scored: Iterator[ScoredRow], progress: Progress) -> Iterator[ScoredRow]:
    for one in scored:
        progress.step()
        yield one


def _show(evaluated: Sequence[Evaluated]) -> None:
    console = Console(width=None if sys.stdout.isatty() else PIPED_COLUMNS, highlight=False)
    console.print(files_table(evaluated))
    for one in evaluated:
        if one.sources:
            console.print(sources_table(one.dataset.name, one.sources))
        for sentence in (confusion_line(one.figures), *notes(one)):
            print(printable(f"{one.dataset.name}: {sentence}"))


def _folder(path: str) -> Path:
    """Make the folder of the report.

    Raises:
        GroundwireError: It can't be made, or there is nothing to draw plots with.
    """
    try:
        # plots alone need matplotlib; figures on a terminal do without
        import groundwire.worker.evaluate.output  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        advice = "install it with: pip install 'groundwire[evaluate]', or leave out --output"
        raise GroundwireError(f"--output needs the package matplotlib, which is not installed; {advice}") from error
    return make_folder(path)


def _write(folder: Path, args: Namespace, evaluated: Sequence[Evaluated]) -> None:
    from groundwire.worker.evaluate.output import MARKDOWN_NAME, write_report  # noqa: PLC0415 - as above

    report = make_report(
        evaluated, label_field=args.labels, sample=args.sample, seed=args.seed, texts=args.texts is True
    )
    write_report(folder, report, evaluated, texts=args.texts is not False)
    print(f"Everything about them: {folder / MARKDOWN_NAME}")
