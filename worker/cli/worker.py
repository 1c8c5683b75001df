"""`groundwire worker`: a Celery worker, with its model built before it starts."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from groundwire.models.catalogue import resolve
from groundwire.worker.app import run_worker
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.log_setup import log_to_stderr
from groundwire.worker.judge.checks import check_judge
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace

BUILDER = "onnx"
"""The package that is imported when a model is built, and never for running one."""


def run(args: Namespace) -> int:
    """Run until SIGTERM or Ctrl-C.

    The model is built before the scoring processes are there, so that they don't all build it at once. Building takes
    a few hundred megabytes, which every one of them would inherit: the program starts itself afresh after it, in the
    same process, so that signals go on reaching the right one.
    """
    variables = environment(args)
    settings = WorkerSettings.from_env(variables)
    check_judge(settings)
    log_to_stderr(settings.log_level)
    if not args.built:
        resolve(settings.model)
        if BUILDER in sys.modules:
            afresh = [sys.executable, *sys.orig_argv[1:], "--built"]
            os.execve(sys.executable, afresh, variables)  # noqa: S606 - our own command line, with one more flag
    return run_worker(settings)
