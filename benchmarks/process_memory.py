"""How much memory a process takes."""

from __future__ import annotations

from pathlib import Path

KIB_PER_MIB = 1024


def pss_mib(pid: int) -> float | None:
    """Return the proportional set size of a process in MiB; null where it has ended or there is no /proc."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) / KIB_PER_MIB for line in lines if line.startswith("Pss:"))
