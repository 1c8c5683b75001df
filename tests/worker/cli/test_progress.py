from __future__ import annotations

import sys
from io import StringIO
from typing import TYPE_CHECKING

from groundwire.worker.cli.progress import Progress

if TYPE_CHECKING:
    import pytest


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, steps: int, total: int | None, *, beside_results: bool) -> str:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", Terminal() if beside_results else StringIO())
    with Progress("scored", "rows", total) as progress:
        for _ in range(steps):
            progress.step()
    return terminal.getvalue()


def test_a_bar_shows_the_share_that_is_done_also_beside_results(monkeypatch: pytest.MonkeyPatch) -> None:
    half = shown(monkeypatch, 500, 1000, beside_results=True)
    assert "scored 500 of 1,000 rows" in half
    assert half.count("\u2588") == half.count("\u2591") > 0
    whole = shown(monkeypatch, 1000, 1000, beside_results=True)
    assert whole.endswith("scored 1,000 of 1,000 rows, 0:00 left\n")


def test_without_a_total_it_counts_where_results_do_not_scroll_by(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "scored 3 rows, " in shown(monkeypatch, 3, None, beside_results=False)
    assert shown(monkeypatch, 3, None, beside_results=True) == ""


def test_it_is_silent_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    with Progress("scored", "rows", 1) as progress:
        progress.step()
    assert quiet.getvalue() == ""
