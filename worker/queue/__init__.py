"""The transport between the job streams and the results stream: Lua scripts and their Python faces."""

from groundwire.worker.queue.entries import Attempts, Begun, Entries, Failure, Published, Retention

__all__ = ["Attempts", "Begun", "Entries", "Failure", "Published", "Retention"]
