"""`groundwire score`: jobs in, results out, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.schemas import ProfileName
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit, has_error
from groundwire.worker.cli.job_lines import JobLines, open_jobs
from groundwire.worker.cli.progress import Progress
from groundwire.worker.scorer import JobScorer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace

    from groundwire.schemas import Job


def run(args: Namespace) -> int:
    """Score every good line; the model is loaded when the first of them is there."""
    settings = WorkerSettings.from_env(environment(args))
    scorer: JobScorer | None = None
    failed = False
    with open_jobs(args.file) as stream, Progress("scored") as progress:
        lines = JobLines(stream, settings.limits)
        for _, parsed in lines:
            scorer = scorer or JobScorer.load(settings)
            result = scorer.score(_as_asked(parsed.job, args), parsed.warnings)
            print(result.model_dump_json(), flush=True)
            failed = failed or has_error(result)
            progress.step()
    if lines.refused:
        return Exit.BAD_INPUT
    return Exit.WORK_FAILED if failed else Exit.OK


def _as_asked(job: Job, args: Namespace) -> Job:
    """The job with the profile and metrics of the command line, where it names them."""
    asked = {
        "profile": ProfileName(args.profile) if args.profile else job.profile,
        "metrics": args.metrics or job.metrics,
    }
    return job.model_copy(update=asked)
