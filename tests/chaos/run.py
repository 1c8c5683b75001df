"""`make chaos`: jobs through workers, intakes and a server that are killed, paused and restarted all the time.

It ends with a ledger, and with exit code 1 unless nothing is lost or doubled.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import TYPE_CHECKING

from groundwire.client import ClientSettings, Keys, connect
from tests.chaos.aof_server import AofServer
from tests.chaos.faults import Faults
from tests.chaos.ledger import Ledger, settle
from tests.chaos.load import Fate, plan, submit
from tests.chaos.supervised import Supervised

if TYPE_CHECKING:
    from collections.abc import Sequence

    import redis

WORKERS = 4
INTAKES = 2

FAST_WORKER = Path(__file__).with_name("fast_worker.py")

POLL_S = 0.1


@dataclass(frozen=True)
class Size:
    """How much is done in a run.

    Attributes:
        jobs: Jobs to submit.
        restarts: How often the server is killed.
        per_second: How fast jobs are submitted, at most.
        limit_s: Seconds after which it is over, whatever is missing.
    """

    jobs: int = 20_000
    restarts: int = 5
    per_second: float = 150.0
    limit_s: float = 600.0


def run(size: Size, seed: int, folder: Path) -> tuple[Ledger, str]:
    """Run once; returns the ledger, and what was done to the processes.

    Args:
        size: How much is done.
        seed: Decides poison, killers and faults.
        folder: For the server's file and the logs.
    """
    deadline = time.monotonic() + size.limit_s
    with ExitStack() as started:
        server = AofServer(folder)
        started.callback(server.kill)
        settings = ClientSettings(redis_url=server.url)
        keys = Keys(settings.prefix)
        connection = started.enter_context(connect(settings))
        environ = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDWIRE_")}
        environ |= {"GROUNDWIRE_REDIS_URL": server.url, "GROUNDWIRE_CONCURRENCY": "1", "GROUNDWIRE_GRACE_S": "5"}
        intake = [sys.executable, "-m", "groundwire.worker.cli", "intake"]
        worker = [sys.executable, str(FAST_WORKER)]
        intakes = [Supervised(intake, environ, folder / f"intake-{n}.log") for n in range(INTAKES)]
        workers = [Supervised(worker, environ, folder / f"worker-{n}.log") for n in range(WORKERS)]
        for process in (*intakes, *workers):
            started.callback(process.stop)
        harm_dice, load_dice = Random(seed), Random(seed)  # noqa: S311 - they decide faults, no secrets
        faults = Faults(harm_dice, server, (connection, keys), workers, intakes)
        done = Event()
        harm = Thread(target=faults.run, args=(done, size.restarts, size.jobs / size.per_second), daemon=True)
        harm.start()
        submitted = {
            planned.job_id: planned.fate
            for planned in submit(connection, keys, plan(size.jobs, load_dice), size.per_second)
            if planned.fate not in (Fate.DUPLICATE, Fate.GARBAGE)
        }
        while faults.counts["server killed"] < size.restarts and time.monotonic() < deadline:
            time.sleep(POLL_S)
        done.set()
        harm.join()
        while _backlog(connection, keys) and time.monotonic() < deadline:
            time.sleep(POLL_S)
        starts = f"started {sum(one.starts for one in (*workers, *intakes))} processes"
        done_to_them = ", ".join(f"{what} {number}" for what, number in sorted(faults.counts.items()))
        return settle(connection, keys, submitted), f"{starts}; {done_to_them}"


def _backlog(connection: redis.Redis, keys: Keys) -> int:
    return int(connection.xlen(keys.stream("jobs"))) + int(connection.xlen(keys.stream("jobs:backfill")))


def main(argv: Sequence[str] | None = None) -> int:
    """Run with each seed and print the ledgers."""
    parser = argparse.ArgumentParser(
        description="Kill, pause and restart everything while jobs run, and count them.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--jobs", type=int, default=Size.jobs, help="jobs of a run")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="a run for each")
    parser.add_argument("--restarts", type=int, default=Size.restarts, help="times that the server is killed")
    parser.add_argument("--rate", type=float, default=Size.per_second, help="jobs submitted per second")
    parser.add_argument("--limit", type=float, default=Size.limit_s, help="seconds for a run at most")
    options = parser.parse_args(argv)
    size = Size(options.jobs, options.restarts, options.rate, options.limit)
    holds = True
    for seed in options.seeds:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="groundwire-chaos-", ignore_cleanup_errors=True) as folder:
            ledger, harm = run(size, seed, Path(folder))
        print(f"seed {seed}: {ledger}; {time.monotonic() - begun:.0f} s; {harm}", flush=True)  # noqa: T201 - the ledger is what it is for
        holds = holds and ledger.holds
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
