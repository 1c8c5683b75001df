from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.models.threads import available_cpus, threads_per_process
from groundwire.schemas.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def allowed() -> float:
    return float(len(os.sched_getaffinity(0)))


def quota_of(tmp_path: Path, membership: str, files: dict[str, str]) -> float:
    for name, content in files.items():
        path = tmp_path / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (tmp_path / "membership").write_text(membership)
    return available_cpus(tmp_path / "cgroup", tmp_path / "membership")


@pytest.mark.parametrize(
    ("membership", "files"),
    [
        ("0::/app\n", {"app/cpu.max": "50000 100000\n"}),
        ("0::/slice/app\n", {"slice/app/cpu.max": "max 100000\n", "slice/cpu.max": "50000 100000\n"}),
        ("0::/host/path\n", {"cpu.max": "50000 100000\n"}),
        (
            "4:cpu,cpuacct:/app\n1:name=systemd:/x\n",
            {"cpu,cpuacct/app/cpu.cfs_quota_us": "50000\n", "cpu,cpuacct/app/cpu.cfs_period_us": "100000\n"},
        ),
        ("4:cpu:/host\n", {"cpu/cpu.cfs_quota_us": "50000\n", "cpu/cpu.cfs_period_us": "100000\n"}),
    ],
)
def test_a_quota_limits_the_processors(tmp_path: Path, membership: str, files: dict[str, str]) -> None:
    assert quota_of(tmp_path, membership, files) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("membership", "files"),
    [
        ("0::/app\n", {"app/cpu.max": "max 100000\n"}),
        ("0::/app\n", {}),
        ("0::/app\n", {"app/cpu.max": "100000000 100000\n"}),
        ("4:cpu:/app\n", {"cpu/app/cpu.cfs_quota_us": "-1\n", "cpu/app/cpu.cfs_period_us": "100000\n"}),
        ("4:memory:/app\n", {"memory/app/cpu.cfs_quota_us": "50000\n"}),
    ],
)
def test_without_a_quota_affinity_decides(
    tmp_path: Path, allowed: float, membership: str, files: dict[str, str]
) -> None:
    assert quota_of(tmp_path, membership, files) == allowed


def test_a_machine_without_cgroups_is_no_problem(tmp_path: Path, allowed: float) -> None:
    assert available_cpus(tmp_path / "none", tmp_path / "none") == allowed


@given(st.integers(1, 64), st.floats(0.1, 256))
def test_processes_share_the_processors_and_each_has_a_thread(processes: int, cpus: float) -> None:
    threads = threads_per_process(processes, cpus=cpus)
    assert threads >= 1
    assert threads == 1 or threads * processes <= cpus


def test_a_setting_wins() -> None:
    assert threads_per_process(4, override=3, cpus=2) == 3


@pytest.mark.parametrize(("processes", "override"), [(0, None), (-1, None), (2, 0)])
def test_numbers_below_one_are_refused(processes: int, override: int | None) -> None:
    with pytest.raises(SettingsError, match="at least 1"):
        threads_per_process(processes, override)
