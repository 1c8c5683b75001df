"""The demo: starts a server, an intake and a worker, sends the samples through, shows the results, stops everything."""

from __future__ import annotations

import secrets
import sys
import time
from contextlib import ExitStack
from importlib.resources import files
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from groundwire.client import Client, ClientSettings, connect, queue_errors
from groundwire.schemas import GroundwireError, Limits, QueueError, parse_job
from groundwire.worker.demo.children import Children, DemoFailedError
from groundwire.worker.demo.signals import StopSignals
from groundwire.worker.demo.table import results_table
from groundwire.worker.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from groundwire.client import Submitted
    from groundwire.schemas import Job, Result

SAMPLES = "samples.jsonl"
RESULTS = "results.jsonl"

DEADLINE_SECONDS = 240.0
"""For all samples together: building the model on a slow machine takes a minute or two, scoring them seconds."""

CHECK_SECONDS = 1.0
"""How often the processes are looked at while a result is waited for."""

PIPED_COLUMNS = 100
"""Width of the table where no terminal states its own."""

KEYS_PER_SCAN = 500


def run_demo(environment: Mapping[str, str], output: Path) -> None:
    """Score the samples, print the table, write results and logs.

    Args:
        environment: Variables for the processes. GROUNDWIRE_REDIS_URL names a server to use; without it one is
            started. All keys get a prefix of their own, so that nothing else on that server is touched.
        output: Folder for results and logs; made where it is missing.

    Raises:
        DemoFailedError: A process ended early, or the results were not there in time.
        GroundwireError: The folder or a setting can't be used, or the server can't be reached.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GroundwireError(f"{output}: {error.strerror}; name another folder with --output") from error
    jobs = read_samples()
    log = Console(stderr=True, highlight=False)
    with StopSignals() as signals, ExitStack() as started:
        try:
            variables = dict(environment) | {"GROUNDWIRE_PREFIX": f"{{groundwire-demo-{secrets.token_hex(4)}}}:"}
            # each process would need one of its own
            variables.pop("GROUNDWIRE_HEARTBEAT_FILE", None)
            if not variables.get("GROUNDWIRE_REDIS_URL"):
                with signals.held():
                    server = started.enter_context(EmbeddedServer())
                variables["GROUNDWIRE_REDIS_URL"] = server.url
                log.print("server   started for this run")
            settings = ClientSettings.from_env(variables)
            with Client(settings) as client:
                client.ping()
            started.callback(_remove_keys, settings, log)
            children = Children()
            started.callback(children.stop)
            for name in ("intake", "worker"):
                path = output / f"{name}.log"
                with signals.held():
                    command = (sys.executable, "-m", "groundwire.worker.cli", name)
                    children.start(name, command, variables, path)
                log.print(f"{name:<8} started, its log is {path}")
            results = _score(jobs, settings, children, log)
        finally:
            # from here on nothing cuts the clean-up short
            signals.ignore()
    path = output / RESULTS
    path.write_text("".join(f"{result.model_dump_json()}\n" for result in results), encoding="utf-8")
    shown = Console(width=None if sys.stdout.isatty() else PIPED_COLUMNS, highlight=False)
    shown.print(results_table(results))
    shown.print(f"Everything about them: {path}", soft_wrap=True)


def read_samples() -> list[Job]:
    """Read the jobs that come with Groundwire."""
    lines = (files("groundwire.worker.demo") / SAMPLES).read_bytes().splitlines()
    return [parse_job(line, Limits()).job for line in lines]


def _remove_keys(settings: ClientSettings, log: Console) -> None:
    """Remove the demo's keys in the end: the server may be somebody's own."""
    try:
        with queue_errors(settings), connect(settings) as server:
            for key in server.scan_iter(match=f"{settings.prefix}*", count=KEYS_PER_SCAN):
                server.unlink(key)
    except QueueError as error:
        # whatever made the demo end matters more than this
        log.print(f"keys under {settings.prefix} may be left: {error}", markup=False)


def _score(jobs: list[Job], settings: ClientSettings, children: Children, log: Console) -> list[Result]:
    """Submit the jobs and return their results in the same order, with a progress bar on a terminal."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Client(settings) as client, Progress(*columns, console=log, transient=True) as progress:
        submitted = [client.submit(job) for job in jobs]
        log.print(f"jobs     {len(jobs)} submitted; the first run builds the model, which can take a minute")
        task = progress.add_task("waiting for the model", total=len(jobs))
        results = []
        for sent in submitted:
            results.append(_await(client, sent, children, deadline))
            progress.update(task, advance=1, description="scoring")
        log.print(f"results  {len(results)} received")
    return results


def _await(client: Client, sent: Submitted, children: Children, deadline: float) -> Result:
    """Wait for one result, with an eye on the processes that have to bring it about."""
    while True:
        children.check()
        try:
            return client.wait(sent.trace_id, sent.job_id, CHECK_SECONDS, sent.after)
        except QueueError:
            # raises when it was not the time that ran out but the server that is gone
            client.ping()
            if time.monotonic() > deadline:
                problem = f"no result of {sent.trace_id} after {DEADLINE_SECONDS:g} s"
                raise DemoFailedError(problem, children.tails()) from None
