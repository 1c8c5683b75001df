"""The time as results state it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now(timespec: str = "milliseconds") -> str:
    """Give the time as RFC 3339 has it, in UTC and to the millisecond, or to what else `timespec` names."""
    return datetime.now(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
