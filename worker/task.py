"""The Celery task: a thin shell around the processor of the scoring process that it runs in."""

from __future__ import annotations

import logging
import os
import signal
from multiprocessing import RawValue
from typing import TYPE_CHECKING

import redis
from celery import signals
from celery.exceptions import Reject

from groundwire.client import Keys, connect
from groundwire.schemas import GroundwireError
from groundwire.worker.broker import TASK
from groundwire.worker.processor import Processor
from groundwire.worker.queue import Entries, Retention
from groundwire.worker.queue.names import worker_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery import Celery

    from groundwire.worker.processor import Scores
    from groundwire.worker.settings import WorkerSettings

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
        self._processor: Processor | None = None
        # Shared by the worker's processes, and without a lock: a child that is killed can't leave one behind.
        self._failed = RawValue("b", 0)
        self._stopping = RawValue("b", 0)

    @property
    def failed(self) -> bool:
        """Whether a child could not load its model; known in every process of the worker."""
        return bool(self._failed.value)

    def stop(self) -> None:
        """Let every child end the job that it is at, and hand back the rest of its message."""
        self._stopping.value = 1

    def load(self, **_: object) -> None:
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
        retention = Retention(settings.result_ttl_s, settings.max_dead, settings.max_dead_payload_bytes)
        entries = Entries(connect(settings), Keys(settings.prefix), worker_name(), retention)
        self._processor = Processor(entries, scorer, settings.limits, settings.metrics)

    def score(self, stream: str, entry_ids: list[str]) -> None:
        """Work off one message.

        Raises:
            Reject: The message has to come back: the server went away, the worker stops, or it has no model. What was
                done of it will be found done.
        """
        if self._processor is None:
            raise Reject("this process has no model", requeue=True)
        try:
            for entry_id in entry_ids:
                if self._stopping.value:
                    raise Reject("the worker stops", requeue=True)
                self._processor.process(stream, entry_id)
        except (redis.ConnectionError, redis.TimeoutError) as error:
            raise Reject(type(error).__name__, requeue=True) from None


def register(app: Celery, process: ScoringProcess) -> None:
    """Give the application its task, and its scoring processes their model."""

    @app.task(name=TASK)
    def score(stream: str, entry_ids: list[str]) -> None:
        process.score(stream, entry_ids)

    signals.worker_process_init.connect(process.load, weak=False)
