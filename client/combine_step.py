"""One step of joining a span's results, computed here and done in Redis as a whole or not at all."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import ValidationError

from groundwire.client.connection import as_text
from groundwire.client.keys import COMBINE_GROUP
from groundwire.client.span_join import SpanJoin

if TYPE_CHECKING:
    import redis

    from groundwire.client.combine_settings import CombineSettings
    from groundwire.client.keys import Keys
    from groundwire.client.span_join import Part
    from groundwire.schemas import Combined

logger = logging.getLogger(__name__)


class _Do(StrEnum):
    """What a step does, as the script knows it."""

    PUBLISH = "publish"
    WAIT = "wait"
    KEEP = "keep"
    DROP = "drop"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class _Step:
    """One step, ready to be written.

    Attributes:
        key: The span's parts key.
        text: Its value, from which the step was computed; empty for none.
        do: What to do.
        after: The span's state after the step.
        combined: The composite that the step publishes.
    """

    key: str
    text: bytes
    do: _Do
    after: SpanJoin | None
    combined: Combined | None = None


class CombineSteps:
    """Adds results to what is known of their spans, and publishes composites.

    The state is read first, the step computed, and written only if the state is still the same. So several processes
    may work on one span, and one that is killed leaves nothing half done. Every method raises redis-py's errors as they
    are.

    Args:
        server: Connection to the Redis server.
        keys: Names of its keys.
        settings: Weights, and how long to wait and to remember.
    """

    def __init__(self, server: redis.Redis, keys: Keys, settings: CombineSettings) -> None:
        self._server = server
        self._keys = keys
        self._settings = settings
        script = files(__package__).joinpath("combine.lua").read_text(encoding="utf-8")
        self._script = server.register_script(script)

    def add(self, entry_id: str, part: Part) -> Combined | None:
        """Join a result with the others of its span, and acknowledge it.

        Args:
            entry_id: The result's entry on the results stream.
            part: The result.

        Returns:
            The composite where one was published.
        """
        key = self._keys.parts(part.trace_id, part.span_id)
        while True:
            text, known = self._read(key)
            before = known or SpanJoin(trace_id=part.trace_id, span_id=part.span_id)
            after = before.with_part(entry_id, part)
            step = self._step(key, text, self._next(before, after), after)
            outcome = self._write(step, entry_id)
            if outcome != "changed":
                return step.combined if outcome == "done" else None

    def publish_due(self, key: str) -> Combined | None:
        """Publish what there is of a span that has waited long enough.

        Args:
            key: The span's parts key, as it stands in the deadlines.

        Returns:
            The composite; null when another process was faster, or the state is gone.
        """
        while True:
            text, known = self._read(key)
            step = self._step(key, text, _Do.DROP if known is None else _Do.PUBLISH, known)
            outcome = self._write(step)
            if outcome != "changed":
                return step.combined if outcome == "done" else None

    def _next(self, before: SpanJoin, after: SpanJoin) -> _Do:
        if after == before:
            return _Do.NOTHING
        if before.revision:
            return _Do.KEEP if after.latest() == before.latest() else _Do.PUBLISH
        return _Do.PUBLISH if after.is_complete(self._settings.weights) else _Do.WAIT

    def _read(self, key: str) -> tuple[bytes, SpanJoin | None]:
        """The span's state as it is stored, and what it says; null when there is none or none of this version."""
        text = self._server.get(key)
        if not isinstance(text, bytes):
            return b"", None
        try:
            return text, SpanJoin.model_validate_json(text)
        except ValidationError:
            logger.warning("%r can't be read: another version wrote it; its span is joined anew", key)
            return text, None

    def _step(self, key: str, text: bytes, do: _Do, after: SpanJoin | None) -> _Step:
        if after is None or do is not _Do.PUBLISH:
            return _Step(key, text, do, after)
        combined = after.combine(self._settings.weights)
        return _Step(key, text, do, after.model_copy(update={"revision": combined.revision}), combined)

    def _write(self, step: _Step, entry_id: str = "") -> str:
        settings, combined = self._settings, step.combined
        args: list[str | bytes | int] = [
            COMBINE_GROUP,
            entry_id,
            step.text,
            step.do.value,
            "" if step.after is None else step.after.model_dump_json(),
            int(settings.combine_wait_s * 1000),
            settings.combine_ttl_s * 1000,
        ]
        if combined is not None:
            args += [combined.trace_id, combined.span_id, combined.model_dump_json(), settings.max_composites]
        keys = [self._keys.results, step.key, self._keys.deadlines, self._keys.composites]
        return as_text(self._script(keys=keys, args=args))
