"""The Celery application of a worker: how messages reach its processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery import Celery
from celery.app.amqp import AMQP
from kombu import Connection

from groundwire.worker.quarantine import Transport
from groundwire.worker.queue.messages import QUEUE

if TYPE_CHECKING:
    from groundwire.worker.settings import WorkerSettings

MODEL_LOAD_S = 300.0
"""Seconds within which a scoring process has to be up: loading a model takes seconds, building it about a minute."""

LOST_CHILD_S = 1.0
"""Seconds that Celery waits for a word of a scoring process that died, before another takes its place in full."""

LONGEST_PAUSE_S = 2.0
"""Longest pause between attempts to reach a server that went away; kombu's own is half a minute."""


class _PatientConnection(Connection):
    """kombu's connection, which comes back soon after the server does."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> _PatientConnection:  # noqa: ANN401 - kombu's
        """Connect, however often it takes."""
        pauses = {"interval_start": 0, "interval_step": 0.5, "interval_max": LONGEST_PAUSE_S}
        return super().ensure_connection(*args, **pauses | kwargs)

    def as_uri(self, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - kombu's
        """The address for log lines, under the name of the protocol instead of our transport's."""
        return f"redis://{super().as_uri(*args, **kwargs).partition('://')[2]}"


class _PatientAMQP(AMQP):
    Connection = _PatientConnection


def build_app(settings: WorkerSettings) -> Celery:
    """Return a Celery application for these settings; it opens no connection yet.

    The job streams know what is done and what is not, so Celery keeps no books of its own: a message counts as
    delivered once it is popped, and what gets lost with it is sent again by the intake.
    """
    app = Celery("groundwire", broker=settings.redis_url, amqp=_PatientAMQP, set_as_current=False)
    app.conf.update(
        broker_transport=Transport,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # A refusal, of a server that is full for one, is no reason to end.
        broker_channel_error_retry=True,
        broker_transport_options={
            "global_keyprefix": settings.prefix,
            "ack_emulation": False,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "max_dead": settings.max_dead,
            "max_dead_payload_bytes": settings.max_dead_payload_bytes,
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
        worker_lost_wait=LOST_CHILD_S,
        worker_send_task_events=False,
        # Whoever may publish on the server could stop workers by it.
        worker_enable_remote_control=False,
        # The command line sets up logging.
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
    )
    return app
