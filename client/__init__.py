"""What applications import: hand jobs to Groundwire, read the results. Needs pydantic and redis only."""

from groundwire.client.client import Client, Submitted
from groundwire.client.connection import connect, queue_errors
from groundwire.client.dead import DeadLetter, DeadLetters
from groundwire.client.keys import GROUP, STREAM_NAMES, DoneMarker, Keys
from groundwire.client.settings import ClientSettings

__all__ = [
    "GROUP",
    "STREAM_NAMES",
    "Client",
    "ClientSettings",
    "DeadLetter",
    "DeadLetters",
    "DoneMarker",
    "Keys",
    "Submitted",
    "connect",
    "queue_errors",
]
