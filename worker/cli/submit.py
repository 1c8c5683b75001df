"""`groundwire submit`: jobs onto the jobs stream, and their results when asked for."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from groundwire.client import Client, ClientSettings
from groundwire.schemas import BacklogError, InvalidJobError, QueueError
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit, has_error
from groundwire.worker.cli.job_lines import JobLines, open_jobs
from groundwire.worker.cli.plain import printable
from groundwire.worker.cli.progress import Progress

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from groundwire.client import Submitted


def run(args: Namespace) -> int:
    """Submit every good line, then wait for the results where that was asked for; a full stream ends it at once."""
    settings = ClientSettings.from_env(environment(args))
    submitted: list[Submitted] = []
    dropped = 0
    full = False
    with Client(settings) as client:
        # before the first job is read: a file half submitted is worse than one not submitted
        client.ping()
        with open_jobs(args.file) as stream, Progress("submitted") as progress:
            lines = JobLines(stream, settings.limits)
            for number, parsed in lines:
                try:
                    sent = client.submit(parsed.job)
                except InvalidJobError as error:
                    lines.refuse(number, error)
                    continue
                except BacklogError as error:
                    # the lines after it would be refused too, and may be sent later from this one on
                    full = True
                    print(f"stopped at line {number}: {error}", file=sys.stderr)
                    break
                progress.step()
                dropped += sent.dropped
                if args.wait and not sent.dropped:
                    submitted.append(sent)
                elif not args.wait:
                    print(_ids(sent, as_json=args.json))
        if dropped:
            print(f"jobs dropped, as their stream is full (GROUNDWIRE_MAX_BACKLOG): {dropped}", file=sys.stderr)
        failed = _print_results(client, submitted, args.timeout)
    if lines.refused:
        return Exit.BAD_INPUT
    return Exit.WORK_FAILED if failed or full or dropped else Exit.OK


def _ids(sent: Submitted, *, as_json: bool) -> str:
    if as_json:
        ids = {"job_id": sent.job_id, "trace_id": sent.trace_id, "entry_id": sent.entry_id, "dropped": sent.dropped}
        return json.dumps(ids, ensure_ascii=False)
    return f"{printable(sent.job_id)} {printable(sent.trace_id)}{' dropped' if sent.dropped else ''}"


def _print_results(client: Client, submitted: Sequence[Submitted], timeout: float) -> bool:
    """Print the results in the order of their jobs; tell whether one is missing or has a metric that failed."""
    deadline = time.monotonic() + timeout
    problems: list[str] = []
    failed = False
    with Progress("received") as progress:
        for sent in submitted:
            try:
                left = max(0.0, round(deadline - time.monotonic(), 1))
                result = client.wait(sent.trace_id, sent.job_id, left, sent.after)
            except QueueError as error:
                # raises when the server is gone, where no other result would come either
                client.ping()
                problems.append(str(error))
                continue
            print(result.model_dump_json(), flush=True)
            failed = failed or has_error(result)
            progress.step()
    if problems:
        print(f"{len(problems)} of {len(submitted)} results are missing; the first: {problems[0]}", file=sys.stderr)
    return failed or bool(problems)
