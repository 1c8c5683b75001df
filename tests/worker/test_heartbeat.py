from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from groundwire.worker.heartbeat import age_s, beat

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
