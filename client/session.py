"""What client and combiner have in common: they hold a connection to the server until they are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from groundwire.client.connection import connect
from groundwire.client.keys import Keys

if TYPE_CHECKING:
    from types import TracebackType

    from groundwire.client.settings import ClientSettings


class Session:
    """Holds a connection to the server, for a `with` block or until `close`.

    Args:
        settings: Where the server is, and how the keys begin.
    """

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self._server = connect(settings)
        self._keys = Keys(settings.prefix)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the server."""
        self._server.close()
