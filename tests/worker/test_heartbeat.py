from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from groundwire.worker.heartbeat import STALL_S, age_s, beat, beat_unless_stalled

if TYPE_CHECKING:
    from pathlib import Path


def test_a_beat_is_fresh(tmp_path: Path) -> None:
    path = tmp_path / "beat"
    assert age_s(path) is None
    beat(path)
    os.utime(path, (0, 0))
    old = age_s(path)
    assert old is not None
    assert old > 1_000_000
    beat(path)
    new = age_s(path)
    assert new is not None
    assert new < 60


def test_no_file_is_no_beat() -> None:
    beat(None)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        beat(tmp_path / "nowhere" / "beat")


@pytest.mark.parametrize(
    ("quiet_s", "waiting", "beats"),
    [(0, 5, True), (STALL_S - 1, 5, True), (STALL_S, 0, True), (STALL_S, 1, False), (1e9, 5, False)],
)
def test_a_worker_that_does_nothing_while_messages_wait_shows_no_life(
    tmp_path: Path, quiet_s: float, waiting: int, *, beats: bool
) -> None:
    path = tmp_path / "beat"
    beat_unless_stalled(path, quiet_s, lambda: waiting)
    assert path.exists() is beats
