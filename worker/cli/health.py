"""`groundwire health`: whether the queue answers and the heartbeat is fresh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.client import Client
from groundwire.schemas import QueueError
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.heartbeat import age_s
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path


def run(args: Namespace) -> int:
    """Print one line that says what was found."""
    settings = WorkerSettings.from_env(environment(args))
    problem = _queue_problem(settings)
    if problem is None and settings.heartbeat_file is not None:
        problem = _heartbeat_problem(settings.heartbeat_file, args.max_age)
    print(f"unhealthy: {problem}" if problem else "healthy")
    return Exit.WORK_FAILED if problem else Exit.OK


def _queue_problem(settings: WorkerSettings) -> str | None:
    try:
        with Client(settings) as client:
            client.ping()
    except QueueError as error:
        return str(error)
    return None


def _heartbeat_problem(path: Path, max_age: float) -> str | None:
    age = age_s(path)
    if age is None:
        return f"there is no heartbeat {path}; did the worker or intake start?"
    if age > max_age:
        return f"the heartbeat {path} is {age:.0f} s old, more than {max_age:g} s"
    return None
