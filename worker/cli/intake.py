"""`groundwire intake`: the process that moves jobs from the streams to the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.log_setup import log_to_stderr
from groundwire.worker.intake import run_intake
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace


def run(args: Namespace) -> int:
    """Run until SIGTERM or Ctrl-C."""
    settings = WorkerSettings.from_env(environment(args))
    log_to_stderr(settings.log_level)
    return run_intake(settings)
