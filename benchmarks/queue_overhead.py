"""What the queue itself costs: jobs that are skipped, with no model to wait for, through real processes."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.client import Client, ClientSettings, Keys, connect
from groundwire.worker.demo.children import Children
from groundwire.worker.embedded_server import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import Mapping

    import redis

PROCESSES = 2
"""Scoring processes of the worker."""

BATCH = 500
"""Jobs that a producer sends in one round trip."""

POLL_S = 0.01

RESULT_SECONDS = 300.0
"""For all results of a round, a cold start included."""


@dataclass(frozen=True)
class OverheadFigures:
    """What was measured.

    Attributes:
        processes: Scoring processes of the worker.
        jobs_per_second: Skipped jobs, from the first submission to the last result, median of the rounds.
        idle_p50_ms: From submitting one job to an idle system until its result is read, median.
        idle_p95_ms: The same, 95th percentile.
    """

    processes: int
    jobs_per_second: float
    idle_p50_ms: float
    idle_p95_ms: float


def measure_overhead(rounds: int, jobs: int, singles: int) -> OverheadFigures:
    """Start a server, an intake and a worker with real models, and send jobs that the first skip rule ends.

    Args:
        rounds: Rounds of jobs to measure.
        jobs: Jobs of a round.
        singles: Jobs that are sent one after the other, for the latency.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:
        server = started.enter_context(EmbeddedServer())
        variables = os.environ | {
            "GROUNDWIRE_REDIS_URL": server.url,
            "GROUNDWIRE_PREFIX": "{groundwire-bench}:",
            "GROUNDWIRE_LOG_LEVEL": "WARNING",
            "GROUNDWIRE_CONCURRENCY": str(PROCESSES),
        }
        _start(started, variables, Path(folder))
        settings = ClientSettings.from_env(variables)
        connection = started.enter_context(connect(settings))
        client = started.enter_context(Client(settings))
        _latency_ms(client, "warm")
        latencies = sorted(_latency_ms(client, f"single-{number}") for number in range(singles))
        rates = [_rate(connection, Keys(settings.prefix), jobs, f"round-{number}") for number in range(rounds)]
    p95 = latencies[min(len(latencies) - 1, len(latencies) * 95 // 100)]
    return OverheadFigures(PROCESSES, statistics.median(rates), statistics.median(latencies), p95)


def _start(started: ExitStack, variables: Mapping[str, str], folder: Path) -> None:
    for name in ("intake", "worker"):
        children = Children()
        started.callback(children.stop)
        command = (sys.executable, "-m", "groundwire.worker.cli", name)
        children.start(name, command, variables, folder / f"{name}.log")


def _job(trace_id: str) -> dict[str, object]:
    return {
        "v": 1,
        "trace_id": trace_id,
        "span_id": "s",
        "response_text": "The Eiffel Tower is in Paris. It was built in 1889.",
        "rag_context": "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel.",
        "finish_reason": "content_filter",
    }


def _latency_ms(client: Client, trace_id: str) -> float:
    begin = time.perf_counter()
    sent = client.submit(_job(trace_id))
    client.wait(sent.trace_id, sent.job_id, RESULT_SECONDS)
    return (time.perf_counter() - begin) * 1000


def _rate(connection: redis.Redis, keys: Keys, jobs: int, name: str) -> float:
    payloads = [json.dumps(_job(f"{name}-{number}")) for number in range(jobs)]
    wanted = connection.xlen(keys.results) + jobs
    begin = time.perf_counter()
    for start in range(0, jobs, BATCH):
        with connection.pipeline(transaction=False) as pipeline:
            for payload in payloads[start : start + BATCH]:
                pipeline.xadd(keys.stream("jobs"), {"v": "1", "payload": payload})
            pipeline.execute()
    while connection.xlen(keys.results) < wanted:
        if time.perf_counter() - begin > RESULT_SECONDS:
            raise TimeoutError(f"{wanted - connection.xlen(keys.results)} of {jobs} results are missing")
        time.sleep(POLL_S)
    return jobs / (time.perf_counter() - begin)
