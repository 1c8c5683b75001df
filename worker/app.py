"""A worker: Celery's prefork worker with the settings, the flags and the sign of life that Groundwire needs."""

from __future__ import annotations

import logging
import os
import signal
from threading import Timer
from typing import TYPE_CHECKING

from celery import signals

from groundwire.models.threads import available_cpus, threads_per_process
from groundwire.worker.broker import build_app
from groundwire.worker.heartbeat import INTERVAL_S, beat
from groundwire.worker.task import ScoringProcess, register

if TYPE_CHECKING:
    from celery.worker.consumer import Consumer

    from groundwire.worker.scorer import JobScorer
    from groundwire.worker.settings import WorkerSettings

PER_MESSAGE_LOGGERS = ("celery.worker.strategy", "celery.app.trace")
"""Loggers of Celery's that tell of each message twice what the processor tells of each job."""


def run_worker(settings: WorkerSettings) -> int:
    """Run a worker until SIGTERM or SIGINT. Its children end the jobs that they are at and hand back the others.

    Logging has to be set up before.

    Args:
        settings: How to score, and where the queue is.

    Returns:
        The exit code: 0 after a stop that was asked for, 1 when a scoring process could not load its model.
    """
    processes = settings.concurrency or max(1, int(available_cpus()))
    settings = settings.model_copy(update={"threads": settings.threads or threads_per_process(processes)})
    app = build_app(settings)
    process = ScoringProcess(settings, _load_scorer)
    register(app, process)

    @signals.worker_ready.connect(weak=False)
    def start_heartbeat(sender: Consumer, **_: object) -> None:
        # The timer is turned by the event loop, which stands still while there is no connection.
        beat(settings.heartbeat_file)
        sender.timer.call_repeatedly(INTERVAL_S, beat, (settings.heartbeat_file,))

    @signals.worker_shutting_down.connect(weak=False)
    def stop(**_: object) -> None:
        process.stop()
        # Celery's own soft shutdown always lasts for the whole grace period, so it is not used. SIGQUIT ends the
        # children at once; what they had in work comes back when its lease has run out.
        last = Timer(settings.grace_s, os.kill, (os.getpid(), signal.SIGQUIT))
        last.daemon = True
        last.start()

    if settings.log_level != "DEBUG":
        for name in PER_MESSAGE_LOGGERS:
            logging.getLogger(name).setLevel(logging.WARNING)
    flags = ["--quiet", "worker", "--pool=prefork", f"--concurrency={processes}", f"--loglevel={settings.log_level}"]
    flags += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    app.worker_main(flags)
    return int(process.failed)


def _load_scorer(settings: WorkerSettings) -> JobScorer:
    # Imported in the scoring process alone: onnxruntime and spaCy start threads, which don't survive a fork.
    from groundwire.worker.scorer import JobScorer  # noqa: PLC0415

    return JobScorer.load(settings)
