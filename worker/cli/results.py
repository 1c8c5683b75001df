"""`groundwire results`: read the results stream."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from groundwire.client import Client, ClientSettings
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import summary

if TYPE_CHECKING:
    from argparse import Namespace


def run(args: Namespace) -> int:
    """Print the results that there are, and with --follow those that come; name what is none, and pass over it."""
    unreadable = 0

    def report(problem: str) -> None:
        nonlocal unreadable
        unreadable += 1
        print(problem, file=sys.stderr)

    with Client(ClientSettings.from_env(environment(args))) as client:
        for result in client.results(args.after, follow=args.follow, trace_id=args.trace, unreadable=report):
            print(result.model_dump_json() if args.json else summary(result), flush=args.follow)
    return Exit.WORK_FAILED if unreadable else Exit.OK
