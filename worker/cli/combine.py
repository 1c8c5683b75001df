"""`groundwire combine`: the composites of spans, from the results of several scorers."""

from __future__ import annotations

import signal
from threading import Event
from typing import TYPE_CHECKING

from groundwire.client import Combiner, CombineSettings
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.log_setup import log_to_stderr
from groundwire.worker.cli.plain import printable

if TYPE_CHECKING:
    from argparse import Namespace

    from groundwire.schemas import Combined


def run(args: Namespace) -> int:
    """Publish and print composites: those that there are, or all that come until SIGTERM or Ctrl-C."""
    settings = CombineSettings.from_env(environment(args))
    log_to_stderr(settings.log_level)
    stop = Event()
    if not args.once:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
    with Combiner(settings) as combiner:
        for combined in combiner.run_once() if args.once else combiner.run(stop):
            print(combined.model_dump_json() if args.json else _line(combined), flush=not args.once)
    return Exit.OK


def _line(combined: Combined) -> str:
    made = combined.composite
    score = "no score" if made.score is None else f"{made.score:.2f}"
    state = "complete" if combined.complete else "incomplete"
    ids = f"{printable(combined.trace_id)}  {printable(combined.span_id)}"
    return (
        f"{combined.combined_at}  {ids}  {score}  coverage {made.coverage:.2f}  {state}  revision {combined.revision}"
    )
