"""kombu's Redis transport, made safe against what is no message of ours on Celery's list.

kombu hands whatever it pops to Celery, which ends, or waits for ever, on what it can't make sense of. Here each item is
read first. What is no message becomes a dead letter; what is one goes on without anything that was not asked for, such
as a date before which it must not run.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import redis
from kombu.transport import redis as kombu_redis

from groundwire.client.keys import Keys
from groundwire.client.tls import TlsConnection
from groundwire.schemas import InvalidJobError
from groundwire.worker.queue.messages import decode, encode

if TYPE_CHECKING:
    from redis.typing import EncodableT, FieldT

logger = logging.getLogger(__name__)


class GuardedRedis(kombu_redis.PrefixedStrictRedis):
    """kombu's client, which reads items before kombu does.

    Args:
        max_dead: Dead letters to keep, roughly.
        max_dead_payload_bytes: Bytes of an item to keep with its dead letter.
    """

    def __init__(self, *args: Any, max_dead: int, max_dead_payload_bytes: int, **kwargs: Any) -> None:  # noqa: ANN401 - kombu's
        self._max_dead = max_dead
        self._max_dead_payload_bytes = max_dead_payload_bytes
        super().__init__(*args, **kwargs)

    def parse_response(self, connection: redis.Connection, command_name: str, **options: Any) -> Any:  # noqa: ANN401 - any command's
        """Read a reply; an item of the list that is no message of ours counts as none."""
        reply = super().parse_response(connection, command_name, **options)
        if command_name != "BRPOP" or not reply:
            return reply
        key, item = reply
        try:
            return key, encode(decode(item)).encode()
        except InvalidJobError as error:
            self._quarantine(item, error)
            return None

    def _quarantine(self, item: bytes, error: InvalidJobError) -> None:
        letter: dict[FieldT, EncodableT] = {
            "reason": error.reason.value,
            "field": error.field,
            "error": str(error),
            "attempts": 0,
            "payload_bytes": len(item),
            "payload": item[: self._max_dead_payload_bytes],
        }
        # A connection of its own: the one that waits for items has its place in the event loop.
        server = redis.Redis(connection_pool=self.connection_pool)
        try:
            server.xadd(Keys(self.global_keyprefix).dead, letter, maxlen=self._max_dead, approximate=True)
            outcome = "buried"
        except redis.RedisError as refusal:
            outcome = f"lost, as the server did not take it ({type(refusal).__name__})"
        logger.warning("an item of %d bytes on Celery's list: %s, %s", len(item), outcome, error)


class Channel(kombu_redis.Channel):
    """A channel that reads its list by `GuardedRedis`, and leaves lost messages to the intake."""

    do_restore = False
    # kombu's own would wait in a TLS handshake for ever
    connection_class_ssl = TlsConnection
    max_dead: int
    max_dead_payload_bytes: int
    from_transport_options = (*kombu_redis.Channel.from_transport_options, "max_dead", "max_dead_payload_bytes")

    def _get_client(self) -> Any:  # noqa: ANN401 - kombu calls what it gets like the class
        return partial(
            GuardedRedis,
            global_keyprefix=self.global_keyprefix,
            max_dead=self.max_dead,
            max_dead_payload_bytes=self.max_dead_payload_bytes,
        )


class Transport(kombu_redis.Transport):
    """The transport with that channel."""

    Channel = Channel
