"""TLS to the Redis server: a handshake that ends soon, and what went wrong with it."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    import socket

HANDSHAKE_TIMEOUT_S = 2.0
"""Silence in a handshake after which its port counts as one without TLS. A server without it waits for the rest of a
command and says nothing; with the repetitions of `connect` that takes 8 s to tell."""

NO_TLS_REASON = "WRONG_VERSION_NUMBER"
"""What OpenSSL makes of an error in plain text: a server without TLS sends one if the handshake holds a line's end."""


class HandshakeTimeoutError(redis.TimeoutError):
    """The port says nothing to a TLS handshake: for those who wait for a server to come back, one more silence."""


class TlsConnection(redis.SSLConnection):
    """redis-py's connection, which would wait in the handshake for as long as for a reply."""

    def _wrap_socket_with_ssl(self, sock: socket.socket) -> ssl.SSLSocket:
        sock.settimeout(HANDSHAKE_TIMEOUT_S)
        try:
            wrapped: ssl.SSLSocket = super()._wrap_socket_with_ssl(sock)  # type: ignore[no-untyped-call]  # untyped there
        except TimeoutError as error:
            raise HandshakeTimeoutError("no answer to a TLS handshake") from error
        wrapped.settimeout(self.socket_timeout)
        return wrapped


def tls_problem(error: BaseException) -> str | None:
    """What went wrong with TLS, and what to do; null when something else ended the connection."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, HandshakeTimeoutError) or getattr(cause, "reason", None) == NO_TLS_REASON:
            return (
                "its port seems not to speak TLS; name one that does in GROUNDWIRE_REDIS_URL, or use redis:// for none"
            )
        if isinstance(cause, ssl.SSLCertVerificationError):
            advice = "name the authority's file as ssl_ca_certs, and the host that the certificate names"
            return f"its certificate is not trusted ({cause.verify_message}); {advice} in GROUNDWIRE_REDIS_URL"
        if isinstance(cause, ssl.SSLError):
            return f"it can't be reached by TLS ({cause.reason or 'no reason is known'}); check GROUNDWIRE_REDIS_URL"
        if isinstance(cause, FileNotFoundError):
            return "a file of certificates that GROUNDWIRE_REDIS_URL names is missing"
        cause = cause.__cause__ or cause.__context__
    return None
