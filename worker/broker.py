"""The Celery application that intake and workers share: how messages travel, and that they carry no text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from celery import Celery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.settings import WorkerSettings

TASK = "groundwire.score"
QUEUE = "celery"

VISIBILITY_TIMEOUT_S = 600
"""Seconds after which Celery delivers an unacknowledged message once more: a net below the intake, which sends the
entries of a dead worker again as soon as their leases have run out."""

MODEL_LOAD_S = 300.0
"""Seconds within which a scoring process has to be up: loading a model takes seconds, building it about a minute."""

SEND_RETRIES = 3
"""Repetitions of a send within Celery; the intake goes on trying after them."""


def build_app(settings: WorkerSettings) -> Celery:
    """Return a Celery application for these settings; it opens no connection yet."""
    app = Celery("groundwire", broker=settings.redis_url, set_as_current=False)
    app.conf.update(
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "global_keyprefix": settings.prefix,
            "visibility_timeout": VISIBILITY_TIMEOUT_S,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
        },
        # JSON alone: a pickle on the list could run code.
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        task_default_queue=QUEUE,
        # Results go to their own stream; Celery keeps none.
        task_ignore_result=True,
        # A message is acknowledged when its entries are done, and one message at a time is fetched by a process.
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_proc_alive_timeout=MODEL_LOAD_S,
        worker_send_task_events=False,
        # Its connection is the one by which a busy worker notices that the server went away: without it, an
        # acknowledgement that fails leaves the worker waiting for ever.
        worker_enable_remote_control=True,
        # The command line sets up logging.
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        task_publish_retry_policy={"max_retries": SEND_RETRIES, "interval_start": 0.1, "interval_max": 1.0},
    )
    return app


def send(app: Celery, stream: str, entry_ids: Sequence[str]) -> None:
    """Send entries to the workers in one message.

    Args:
        app: The application.
        stream: Short name of the job stream.
        entry_ids: Ids of its entries.

    Raises:
        kombu.exceptions.OperationalError: The server can't be reached.
    """
    app.send_task(
        TASK,
        args=(stream, list(entry_ids)),
        queue=QUEUE,
        # Celery would write the arguments into headers and logs once more.
        argsrepr=f"({stream}, {len(entry_ids)} entries)",
        kwargsrepr="{}",
    )
