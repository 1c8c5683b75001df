"""How many processors this process may use, and how many threads a model gets."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from groundwire.schemas.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

CGROUP_ROOT = Path("/sys/fs/cgroup")
CGROUP_OF_PROCESS = Path("/proc/self/cgroup")


def available_cpus(root: Path = CGROUP_ROOT, membership: Path = CGROUP_OF_PROCESS) -> float:
    """Give the processors that this process may use: those it may run on, or its cgroup's quota if that is less.

    Args:
        root: Where the cgroup file systems are mounted.
        membership: The file that names the process's cgroups.

    Returns:
        A number above 0; a quota can be a fraction of a processor.
    """
    # macOS has no affinity to ask for
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min([float(allowed), *_quotas(root, membership)])


def threads_per_process(worker_processes: int, override: int | None = None, cpus: float | None = None) -> int:
    """Divide the processors among the worker processes.

    Args:
        worker_processes: How many processes share this machine or container.
        override: The number that a setting asks for; wins when given.
        cpus: Processors to share; default `available_cpus()`.

    Returns:
        Threads for each process, at least 1.

    Raises:
        SettingsError: A number is below 1.
    """
    for name, value in (("worker processes", worker_processes), ("threads", override)):
        if value is not None and value < 1:
            raise SettingsError(f"{name}: {value} can't be used, it must be at least 1")
    if override is not None:
        return override
    return max(1, int((available_cpus() if cpus is None else cpus) / worker_processes))


def _quotas(root: Path, membership: Path) -> Iterator[float]:
    """Give the quota of every cgroup that this process is in, in processors; version 1 and 2 may be mixed."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return  # no Linux, or /proc is hidden: there is no quota to be read
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            for folder in _with_parents(root, path):
                yield from _quota_v2(folder / "cpu.max")
        elif "cpu" in controllers.split(","):
            for mount in (root / controllers, root / "cpu"):
                for folder in _with_parents(mount, path):
                    yield from _quota_v1(folder)


def _with_parents(mount: Path, path: str) -> Iterator[Path]:
    """Give the folders from a cgroup up to the mount: a parent's quota holds for its children.

    Inside a container the path may be the host's; then only the mount itself exists, and it is the container's cgroup.
    """
    relative = PurePosixPath(path.lstrip("/"))
    for part in (relative, *relative.parents):
        yield mount / part


def _quota_v2(file: Path) -> Iterator[float]:
    fields = _read_fields(file)
    if len(fields) == 2 and fields[0] != "max":  # noqa: PLR2004 - quota and period
        yield from _positive_ratio(fields[0], fields[1])


def _quota_v1(folder: Path) -> Iterator[float]:
    quota, period = (_read_fields(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    if quota and period:
        yield from _positive_ratio(quota[0], period[0])


def _read_fields(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []  # this cgroup has no such controller


def _positive_ratio(quota: str, period: str) -> Iterator[float]:
    """Give quota / period; -1 as quota means that there is none."""
    if int(quota) > 0 and int(period) > 0:
        yield int(quota) / int(period)
