from __future__ import annotations

from typing import TYPE_CHECKING

from tests.chaos.run import Size, run

if TYPE_CHECKING:
    from pathlib import Path

SHORT = Size(jobs=800, restarts=2, per_second=50.0, limit_s=150.0)
"""What `make chaos` does with 20,000 jobs, in about a minute."""


def test_nothing_is_lost_or_doubled_while_everything_is_killed(tmp_path: Path) -> None:
    ledger, harm = run(SHORT, seed=1, folder=tmp_path)
    assert ledger.holds, f"{ledger}; {harm}"
    assert ledger.submitted == SHORT.jobs
    assert ledger.results + ledger.dead == SHORT.jobs
