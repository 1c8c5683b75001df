"""`make bench`: how fast Groundwire is on this machine, alone and against its peers, and the memory of a worker.

Each figure is the median of several measurements. Figures of two machines compare only with the machine's line.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from answer_speed import AnswerFigures, measure_answers
from machine import describe_machine
from metric_cost import milliseconds_per_job
from nli_speed import LENGTHS, pairs_per_second
from peers.compare import FULL, QUICK, compare
from queue_overhead import OverheadFigures, measure_overhead
from queue_speed import QueueFigures, measure_queue

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Measure everything and print it as it comes."""
    parser = argparse.ArgumentParser(description="Measure NLI speed, queue throughput, memory and cold start.")
    parser.add_argument("--quick", action="store_true", help="one short measurement of each: a trial, no figures")
    parser.add_argument("--no-peers", action="store_true", help="leave the comparison with other packages out")
    options = parser.parse_args(argv)
    quick: bool = options.quick
    started = time.monotonic()
    print(describe_machine())
    print()
    _print_nli(repeats=1 if quick else 3)
    print()
    _print_metrics(milliseconds_per_job(1 if quick else 5))
    print()
    _print_answers(measure_answers(step=10 if quick else 2))
    print()
    _print_queue(measure_queue(starts=1 if quick else 3, rounds=1 if quick else 3, copies=1 if quick else 4))
    print()
    _print_overhead(
        measure_overhead(rounds=1 if quick else 3, jobs=1_000 if quick else 5_000, singles=20 if quick else 200)
    )
    if not options.no_peers:
        print()
        compare(QUICK if quick else FULL)
    print(f"\ntook {time.monotonic() - started:.0f} s{', quick: not to be quoted' if quick else ''}")


def _print_nli(repeats: int) -> None:
    print("NLI pairs per second    " + "".join(f"{length:>8} tokens" for length in LENGTHS))
    for processes in (1, 2):
        name = f"{processes} process{'es' if processes > 1 else '  '} x 1 thread"
        rates = [pairs_per_second(length, processes, repeats) for length in LENGTHS]
        print(f"{name:<24}" + "".join(f"{rate:>15.1f}" for rate in rates), flush=True)


def _print_metrics(taken: dict[str, float]) -> None:
    base = next(iter(taken.values()))
    print("CPU time of a sample job          milliseconds    ratio")
    for name, milliseconds in taken.items():
        print(f"{name:<32}{milliseconds:>14.0f}{milliseconds / base:>9.2f}", flush=True)


def _print_answers(figures: Sequence[AnswerFigures]) -> None:
    print("faithfulness of labelled answers    answers    CPU ms each    supported found    unsupported found")
    for one in figures:
        name = f"contexts of {one.words[0]:,} to {one.words[1]:,} words"
        shares = f"{one.supported_right:>19.0%}{one.unsupported_right:>21.0%}"
        print(f"{name:<36}{one.answers:>7}{one.milliseconds:>15.0f}{shares}", flush=True)
    print("  padding in what the NLI model reads, likewise       " + ", ".join(f"{one.padding:.0%}" for one in figures))
    print("  time around the NLI model, as a share of its time  " + ", ".join(f"{one.around:.0%}" for one in figures))


def _print_queue(figures: QueueFigures) -> None:
    print(f"jobs per second through the queue, {figures.children} scoring processes  {figures.jobs_per_second:.1f}")
    print(f"  NLI pairs per job, on average                        {figures.pairs_per_job:.1f}")
    memory = "not measured: no /proc here" if figures.peak_mib is None else f"{figures.peak_mib:.0f} MiB"
    print(f"peak memory of a scoring process (PSS)                 {memory}")
    print(f"cold start of a worker, to its first result            {figures.cold_start_s:.1f} s")


def _print_overhead(figures: OverheadFigures) -> None:
    print(f"skipped jobs per second, {figures.processes} scoring processes          {figures.jobs_per_second:.0f}")
    idle = f"p50 {figures.idle_p50_ms:.1f} ms, p95 {figures.idle_p95_ms:.1f} ms"
    print(f"from submitting to the result, one job, idle system    {idle}")


if __name__ == "__main__":
    main()
