"""`groundwire results`: read the results stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.client import Client, ClientSettings
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import summary

if TYPE_CHECKING:
    from argparse import Namespace


def run(args: Namespace) -> int:
    """Print the results that there are, and with --follow those that come."""
    with Client(ClientSettings.from_env(environment(args))) as client:
        for result in client.results(args.after, follow=args.follow, trace_id=args.trace):
            print(result.model_dump_json() if args.json else summary(result), flush=args.follow)
    return Exit.OK
