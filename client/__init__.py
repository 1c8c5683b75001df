"""What applications import: hand jobs to Groundwire, read and combine the results. Needs pydantic and redis only."""

from groundwire.client.client import Client
from groundwire.client.combine import Combiner
from groundwire.client.combine_settings import CombineSettings
from groundwire.client.connection import connect, queue_errors
from groundwire.client.dead import DeadLetter, DeadLetters
from groundwire.client.keys import COMBINE_GROUP, GROUP, STREAM_NAMES, Keys
from groundwire.client.settings import LOG_LEVEL_HELP, ClientSettings, LogLevel, OnFull
from groundwire.client.status import GroupStatus, QueueStatus, StreamStatus
from groundwire.client.submission import Submitted
from groundwire.client.weights import WEIGHTS_HELP, Weights, default_weights

__all__ = [
    "COMBINE_GROUP",
    "GROUP",
    "LOG_LEVEL_HELP",
    "STREAM_NAMES",
    "WEIGHTS_HELP",
    "Client",
    "ClientSettings",
    "CombineSettings",
    "Combiner",
    "DeadLetter",
    "DeadLetters",
    "GroupStatus",
    "Keys",
    "LogLevel",
    "OnFull",
    "QueueStatus",
    "StreamStatus",
    "Submitted",
    "Weights",
    "connect",
    "default_weights",
    "queue_errors",
]
