"""`groundwire evaluate` without labels: a set of answers against minimums and an earlier release."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from groundwire.models.threads import available_cpus
from groundwire.schemas import GroundwireError, MetricName, ProfileName
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.evaluate_arguments import DEFAULT_TOLERANCE, RESULT_SECONDS
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import printable, report_error
from groundwire.worker.cli.progress import Progress
from groundwire.worker.evaluate.folder import make_folder
from groundwire.worker.evaluate.scoring_pool import ProcessEndedError, score_jobs
from groundwire.worker.gate.checks import Demands, Outcome, Verdict
from groundwire.worker.gate.output import PAGE_NAME, write_reports
from groundwire.worker.gate.queue_run import score_by_workers
from groundwire.worker.gate.report import GateReport, make_report
from groundwire.worker.gate.rows import read_answers
from groundwire.worker.gate.scored import ScoredSet
from groundwire.worker.gate.sink import Sink
from groundwire.worker.gate.slo import Slo
from groundwire.worker.gate.words import MARKS, SUMMARY_COLUMNS, check_title, headline, summary_lines
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from groundwire.worker.evaluate.scoring_pool import Outcome as RowOutcome
    from groundwire.worker.gate.rows import AnswerSet
    from groundwire.worker.gate.slo import OnRegression

PIPED_COLUMNS = 120
"""Width of the tables where no terminal says how wide it is."""

EXITS = {Verdict.PASSED: Exit.OK, Verdict.FAILED: Exit.WORK_FAILED, Verdict.INCOMPLETE: Exit.INCOMPLETE}


def run_gate(args: Namespace) -> int:
    """Read everything, then score, then decide, show, write and tell."""
    # what can't be read or written is better known before the scoring than after
    if len(args.files) > 1:
        raise GroundwireError(f"{len(args.files)} files and no --labels: a gate takes one file; run it for each")
    if args.texts:
        raise GroundwireError("--texts goes with --labels: without them report.json never quotes, and the page does")
    _refuse_unfit(args)
    slo = Slo.read(args.slo) if args.slo is not None else Slo()
    if slo.on_regression.tells_somebody and find_spec("httpx") is None:
        advice = "install it with: pip install 'groundwire[evaluate]'"
        raise GroundwireError(f"[on_regression] needs the package httpx, which is not installed; {advice}")
    baseline = GateReport.read(args.baseline) if args.baseline is not None else None
    metrics = args.metrics
    if metrics is None and baseline is not None and baseline.has_scores(MetricName.COMPLETENESS):
        # else references that are gone would take their check with them
        metrics = tuple(MetricName)
    answers = read_answers(args.files[0], metrics, ProfileName(args.profile))
    if args.sample:
        answers = answers.sample(args.sample, args.seed)
    sink = Sink(args.sink) if args.sink is not None else None
    folder = make_folder(args.output) if args.output is not None else None
    try:
        scored = _score(answers, args)
    except ProcessEndedError as error:
        report_error(str(error))
        return Exit.INCOMPLETE
    tolerance = DEFAULT_TOLERANCE if args.tolerance is None else args.tolerance
    demands = Demands(slo.minimum, baseline, tolerance)
    report = make_report(scored, demands, sample=args.sample, seed=args.seed)
    _show(report)
    # first, lest a full disk keeps it from those who are to know
    if slo.on_regression.tells_somebody and any(check.outcome is Outcome.FAILED for check in report.checks):
        _tell(report, slo.on_regression)
    if folder is not None:
        write_reports(folder, report, scored, texts=args.texts is not False)
        print(f"Everything about them: {folder / PAGE_NAME}")
    if sink is not None:
        sink.write(report)
    return EXITS[report.verdict]


def _refuse_unfit(args: Namespace) -> None:
    """Refuse flags that would say nothing here.

    Raises:
        GroundwireError: There is one.
    """
    if args.timeout is not None and not args.via_queue:
        raise GroundwireError("--timeout goes with --via-queue; leave it out, or let the workers score")
    for flag, value in (("--model", args.GROUNDWIRE_MODEL), ("--processes", args.processes)):
        if args.via_queue and value:
            raise GroundwireError(f"{flag} goes without --via-queue, as the workers have their own; leave one out")


def _score(answers: AnswerSet, args: Namespace) -> ScoredSet:
    # metrics are the rows' own; the settings' say which models to load at the start
    settings = WorkerSettings.from_env(environment(args)).model_copy(update={"metrics": answers.metrics})
    jobs = [row.job for row in answers.rows]
    if args.via_queue:
        outcomes = score_by_workers(jobs, settings, args.timeout or RESULT_SECONDS)
    else:
        # texts are for the page, which this process writes; threads are processes here
        own = {"include_text": True, "threads": settings.threads or 1}
        processes = args.processes or max(1, int(available_cpus()))
        outcomes = score_jobs(jobs, settings.model_copy(update=own), processes)
    with Progress("scored", "rows", len(jobs)) as progress:
        return ScoredSet.of(answers, _counted(outcomes, progress))


def _counted(outcomes: Iterable[RowOutcome], progress: Progress) -> Iterator[RowOutcome]:
    for one in outcomes:
        progress.step()
        yield one


def _show(report: GateReport) -> None:
    console = Console(width=None if sys.stdout.isatty() else PIPED_COLUMNS, highlight=False)
    table = _table("metric", *SUMMARY_COLUMNS)
    for cells in summary_lines(report):
        table.add_row(*map(Text, cells))
    console.print(table)
    if report.checks:
        table = _table("", "check", "found")
        for check in report.checks:
            table.add_row(MARKS[check.outcome], Text(check_title(check)), Text(check.reason))
        console.print(table)
    for note in (*report.notes, headline(report)):
        print(printable(note))


def _table(*heads: str) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for head in heads:
        table.add_column(head, overflow="fold")
    return table


def _tell(report: GateReport, hooks: OnRegression) -> None:
    # httpx may not be there, and is needed in this case alone
    from groundwire.worker.gate.hooks import tell  # noqa: PLC0415

    sent, failed = tell(report, hooks)
    for receiver in sent:
        print(f"Told of it: {receiver}")
    for error in failed:
        report_error(str(error))
