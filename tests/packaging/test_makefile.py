"""The Makefile: says what it offers, refuses an old Python before doing anything, and installs no more than it must."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAKEFILE = ROOT / "Makefile"
TASKS = ("run", "test", "fuzz", "lint", "audit", "format", "chaos", "bench", "install", "lock", "clean")


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # a make of its own, also where `make test` runs these tests
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    return subprocess.run(
        ["make", *arguments], cwd=folder, check=False, capture_output=True, text=True, env=environment
    )


@pytest.fixture
def bare_clone(tmp_path: Path) -> Path:
    """A folder as it is before anything is installed."""
    shutil.copy(MAKEFILE, tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    for name in ("schemas", "models", "client", "worker"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_help_is_the_default_and_lists_every_task(bare_clone: Path) -> None:
    run = make(bare_clone)
    assert run.returncode == 0
    assert {line.split()[0] for line in run.stdout.splitlines()} == {"help", *TASKS}
    assert not (bare_clone / ".venv").exists()


@pytest.mark.parametrize("task", TASKS[:-1])
def test_every_task_refuses_an_old_python_and_says_what_to_do(bare_clone: Path, task: str) -> None:
    old = bare_clone / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    run = make(bare_clone, task, f"PYTHON={old}")
    assert run.returncode != 0
    assert "Groundwire needs Python 3.11 or newer" in run.stderr
    assert f"make {task} PYTHON=" in run.stderr
    assert not (bare_clone / ".venv").exists()


def test_run_installs_no_development_tools(bare_clone: Path) -> None:
    plan = make(bare_clone, "--dry-run", "run").stdout
    assert "requirements/embedded.lock" in plan
    assert "requirements/dev.lock" not in plan


def test_names_no_registry() -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links", MAKEFILE.read_text())


def test_ci_runs_lint_and_test() -> None:
    script = ROOT / ".ci" / "run"
    commands = script.read_text().splitlines()
    assert commands[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in commands
    assert [line for line in commands if line.startswith("make ")] == ["make lint", "make test"]
    assert script.stat().st_mode & 0o111
