"""What applications import: hand jobs to Groundwire, read the results. Needs pydantic and redis only."""

from groundwire.client.client import Client, Submitted
from groundwire.client.connection import connect, queue_errors
from groundwire.client.dead import DeadLetter, DeadLetters
from groundwire.client.keys import GROUP, STREAM_NAMES, DoneMarker, Keys
from groundwire.client.settings import ClientSettings
from groundwire.client.weights import WEIGHTS_HELP, Weights, default_weights

__all__ = [
    "GROUP",
    "STREAM_NAMES",
    "WEIGHTS_HELP",
    "Client",
    "ClientSettings",
    "DeadLetter",
    "DeadLetters",
    "DoneMarker",
    "Keys",
    "Submitted",
    "Weights",
    "connect",
    "default_weights",
    "queue_errors",
]
