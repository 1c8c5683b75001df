"""The transport between the job streams and the results stream: four Lua scripts and their Python face."""

from groundwire.worker.queue.entries import Begun, Entries, Failure, Published, Retention

__all__ = ["Begun", "Entries", "Failure", "Published", "Retention"]
