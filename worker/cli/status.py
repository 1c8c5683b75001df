"""`groundwire status`: the state of the queue, and whether it is within bounds."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from groundwire.client import Client, ClientSettings
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import printable

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from groundwire.client import GroupStatus, QueueStatus, StreamStatus


def run(args: Namespace) -> int:
    """Print the state, then on standard error what is out of bounds; exit code 1 when something is."""
    with Client(ClientSettings.from_env(environment(args))) as client:
        status = client.status()
    if args.json:
        whole = asdict(status) | {"backlog": status.backlog, "oldest_age_s": status.oldest_age_s}
        print(json.dumps(whole, ensure_ascii=False))
    else:
        print("\n".join(_lines(status)))
    problems = list(_problems(status, args))
    for problem in problems:
        print(f"out of bounds: {problem}", file=sys.stderr)
    return Exit.WORK_FAILED if problems else Exit.OK


def _problems(status: QueueStatus, args: Namespace) -> Iterator[str]:
    if args.max_backlog is not None and status.backlog > args.max_backlog:
        yield f"backlog {status.backlog}, more than {args.max_backlog}"
    age = status.oldest_age_s
    if args.max_age is not None and age is not None and age > args.max_age:
        yield f"oldest job {age:.1f} s, more than {args.max_age:g} s"
    if args.max_dead is not None and status.dead > args.max_dead:
        yield f"dead letters {status.dead}, more than {args.max_dead}"
    if args.min_workers is not None and status.workers < args.min_workers:
        yield f"workers {status.workers}, less than {args.min_workers}"


def _lines(status: QueueStatus) -> Iterator[str]:
    yield f"{'stream':<14}{'backlog':>10}{'sent':>8}{'in work':>9}{'backed off':>12}{'oldest':>12}"
    for name, stream in status.streams.items():
        counts = f"{stream.backlog:>10}{stream.sent:>8}{stream.in_work:>9}{stream.backed_off:>12}"
        yield f"{name:<14}{counts}{_age(stream):>12}"
    yield ""
    yield f"workers  {status.workers}"
    yield f"intakes  {status.intakes}"
    rate = "unknown, as no intake counts" if status.results_per_minute is None else f"{status.results_per_minute:g}"
    yield f"results  {status.results} on the stream, {status.cut} cut; in the last minute: {rate}"
    yield f"dead     {status.dead}"
    yield f"dropped  {status.dropped}"
    for name, group in status.groups.items():
        yield f"group    {printable(name)}: {_group(group)}"


def _age(stream: StreamStatus) -> str:
    return "-" if stream.oldest_age_s is None else f"{stream.oldest_age_s:.1f} s"


def _group(group: GroupStatus) -> str:
    unread = "unknown" if group.lag is None else group.lag
    return f"{group.pending} not acknowledged, {unread} not read, {group.cut} cut before it was"
