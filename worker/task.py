"""The Celery task: a thin shell around the processor of the scoring process that it runs in."""

from __future__ import annotations

import logging
import os
import signal
import time
from multiprocessing import RawValue
from typing import TYPE_CHECKING

import redis
from celery import signals

from groundwire.client import Keys, connect
from groundwire.schemas import GroundwireError
from groundwire.worker.parent_death import die_with_parent
from groundwire.worker.processor import JobRules, Processor
from groundwire.worker.queue import Attempts, Entries, Retention
from groundwire.worker.queue.lease import Leases
from groundwire.worker.queue.messages import TASK
from groundwire.worker.queue.names import process_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery import Celery

    from groundwire.worker.processor import Scores
    from groundwire.worker.settings import WorkerSettings

LAST_S = 3.0
"""Part of the grace period that is left for ending when the jobs in work are handed back, which takes Celery about two
seconds; of a short period it is half."""

logger = logging.getLogger(__name__)


class ScoringProcess:
    """What one scoring process holds: made in the worker's main process, filled in each child after its fork.

    A model must not be loaded before a fork: its threads don't survive one.

    Args:
        settings: How to score; `threads` is the number that this process really gets.
        load_scorer: Loads the models.
    """

    def __init__(self, settings: WorkerSettings, load_scorer: Callable[[WorkerSettings], Scores]) -> None:
        self._settings = settings
        self._load_scorer = load_scorer
        self._work: tuple[Processor, Leases] | None = None
        # Shared by the worker's processes, and without a lock: a child that is killed can't leave one behind.
        self._failed = RawValue("b", 0)
        self._hand_back_at = RawValue("d", 0.0)
        self._alive_at = RawValue("d", time.monotonic())

    @property
    def failed(self) -> bool:
        """Whether a child could not load its model; known in every process of the worker."""
        return bool(self._failed.value)

    @property
    def quiet_s(self) -> float:
        """Seconds since a child last had a job in work within its limit, or done; known in every process."""
        return time.monotonic() - float(self._alive_at.value)

    def stop(self) -> float:
        """Let every child end the job that it is at, and hand back the rest of its message.

        Returns:
            Seconds after which children hand back the job that they are at, too.
        """
        grace = self._settings.grace_s
        wait = grace - min(LAST_S, grace / 2)
        self._hand_back_at.value = time.monotonic() + wait
        return wait

    def load(self) -> None:
        """Load the models and connect. When that fails the whole worker stops, for its supervisor to see."""
        settings = self._settings
        try:
            scorer = self._load_scorer(settings)
        except Exception as error:  # noqa: BLE001 - Celery would log it and go on without a model
            problem = str(error) if isinstance(error, GroundwireError) else type(error).__name__
            logger.critical("the worker stops, its model can't be loaded: %s", problem)
            self._failed.value = 1
            os.kill(os.getppid(), signal.SIGTERM)
            return
        retention = Retention(
            settings.result_ttl_s, settings.max_dead, settings.max_dead_payload_bytes, settings.keep_jobs_s
        )
        keys = Keys(settings.prefix)
        entries = Entries(connect(settings), keys, process_name(), retention, Attempts(settings.max_attempts))
        leases = Leases(entries, settings.job_timeout_s, lambda: float(self._hand_back_at.value), self._live)
        rules = JobRules(settings.limits, settings.metrics, settings.max_attempts, settings.job_timeout_s)
        processor = Processor(entries, leases, scorer, rules, self._stopping)
        self._work = processor, leases
        self._live()

    def score(self, stream: str, entry_ids: list[str]) -> None:
        """Work off one message. What is left of it, as the worker stops or the server refuses, is sent again."""
        if self._work is None:
            return  # it has no model, and the worker is about to stop
        processor, leases = self._work
        try:
            with leases.message(stream, entry_ids):
                for entry_id in entry_ids:
                    if self._stopping():
                        break
                    processor.process(stream, entry_id)
        except redis.RedisError as error:
            logger.warning("%s: a message of %d entries is left: %s", stream, len(entry_ids), type(error).__name__)

    def _stopping(self) -> bool:
        return float(self._hand_back_at.value) > 0.0

    def _live(self) -> None:
        self._alive_at.value = time.monotonic()


def register(app: Celery, process: ScoringProcess) -> None:
    """Give the application its task, and its scoring processes their model."""

    @app.task(name=TASK)
    def score(stream: str, entry_ids: list[str]) -> None:
        process.score(stream, entry_ids)

    @signals.worker_process_init.connect(weak=False)
    def start_child(**_: object) -> None:
        die_with_parent()
        process.load()
