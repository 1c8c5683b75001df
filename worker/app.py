"""A worker: Celery's prefork worker with the settings, the flags and the sign of life that Groundwire needs."""

from __future__ import annotations

import logging
import os
import signal
from threading import Timer
from typing import TYPE_CHECKING

import redis
from celery import signals

from groundwire.client import Keys, connect
from groundwire.client.keys import WORKER
from groundwire.models.threads import available_cpus, threads_per_process
from groundwire.worker.broker import build_app
from groundwire.worker.heartbeat import INTERVAL_S, STALL_S, beat, beat_unless_stalled
from groundwire.worker.presence import Presence
from groundwire.worker.queue.names import process_name
from groundwire.worker.task import ScoringProcess, register

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery.worker.consumer import Consumer

    from groundwire.worker.processor import Scores
    from groundwire.worker.settings import WorkerSettings

logger = logging.getLogger(__name__)

PER_MESSAGE_LOGGERS = ("celery.worker.strategy", "celery.app.trace")
"""Loggers of Celery's that tell of each message twice what the processor tells of each job."""


HAND_BACK_S = 0.5
"""Time that children get to hand back what they are at."""

LAST_MOMENT_S = 0.5
"""How long before the end of the grace period this process ends in any case: it has to be gone by then."""


def run_worker(
    settings: WorkerSettings,
    load_scorer: Callable[[WorkerSettings], Scores] | None = None,
    stall_s: float = STALL_S,
) -> int:
    """Run a worker until SIGTERM or SIGINT. Its children end the jobs that they are at and hand back the others.

    Logging has to be set up before.

    Args:
        settings: How to score, and where the queue is.
        load_scorer: Makes the scorer of each child; null: the models that the settings name.
        stall_s: Seconds for which the heartbeat goes on though messages wait and nothing is done.

    Returns:
        The exit code: 0 after a stop that was asked for, 1 when a scoring process could not load its model.
    """
    processes = settings.concurrency or max(1, int(available_cpus()))
    settings = settings.model_copy(update={"threads": settings.threads or threads_per_process(processes)})
    app = build_app(settings)
    process = ScoringProcess(settings, load_scorer or _load_scorer)
    register(app, process)

    server = connect(settings)
    keys = Keys(settings.prefix)
    presence = Presence(server, keys, WORKER + process_name())

    def show_life() -> None:
        try:
            presence.sign()
            waiting = keys.celery
            beat_unless_stalled(settings.heartbeat_file, process.quiet_s, lambda: int(server.llen(waiting)), stall_s)
        except redis.RedisError as error:
            logger.warning("no heartbeat, as the server does not answer: %s", type(error).__name__)

    @signals.worker_ready.connect(weak=False)
    def start_heartbeat(sender: Consumer, **_: object) -> None:
        # The timer is turned by the event loop, which stands still while there is no connection.
        beat(settings.heartbeat_file)
        show_life()
        sender.timer.call_repeatedly(INTERVAL_S, show_life)

    @signals.worker_shutting_down.connect(weak=False)
    def stop(**_: object) -> None:
        wait = process.stop()
        # Celery's own soft shutdown always lasts for the whole grace period, so it is not used. SIGQUIT ends the
        # children at once, after they have handed back what they had in work. Whatever keeps Celery from ending then
        # has to be over with the grace period; the children are killed with this process.
        _later(wait + HAND_BACK_S, lambda: os.kill(os.getpid(), signal.SIGQUIT))
        _later(max(wait, settings.grace_s - LAST_MOMENT_S), lambda: os._exit(int(process.failed)))

    if settings.log_level != "DEBUG":
        for name in PER_MESSAGE_LOGGERS:
            logging.getLogger(name).setLevel(logging.WARNING)
    flags = ["--quiet", "worker", "--pool=prefork", f"--concurrency={processes}", f"--loglevel={settings.log_level}"]
    flags += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    app.worker_main(flags)
    return int(process.failed)


def _later(seconds: float, call: Callable[[], None]) -> None:
    timer = Timer(seconds, call)
    timer.daemon = True
    timer.start()


def _load_scorer(settings: WorkerSettings) -> Scores:
    # Imported in the scoring process alone: onnxruntime and spaCy start threads, which don't survive a fork.
    from groundwire.worker.scorer import JobScorer  # noqa: PLC0415

    return JobScorer.load(settings)
