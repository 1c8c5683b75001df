"""`make audit` fails on what pip-audit found, and on what it passed over in silence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "audit.py"

FINE: dict[str, Any] = {"name": "redis", "version": "8.1.0", "vulns": []}
BAD: dict[str, Any] = {
    "name": "celery",
    "version": "5.7.0",
    "vulns": [{"id": "CVE-1", "fix_versions": ["5.7.1"]}, {"id": "CVE-2", "fix_versions": []}],
}
SKIPPED: dict[str, Any] = {"name": "spacy", "skip_reason": "Dependency not found on PyPI and could not be audited"}


def audit(folder: Path, report: str) -> tuple[int, str, str]:
    path = folder / "report.json"
    path.write_text(report)
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "--report", str(path)], check=False, capture_output=True, text=True
    )
    return run.returncode, run.stdout, run.stderr


def of(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_all_is_well_when_every_package_was_checked(tmp_path: Path) -> None:
    assert audit(tmp_path, of(FINE, FINE)) == (0, "packages checked: 1\n", "")


def test_each_vulnerability_is_named_with_its_repair(tmp_path: Path) -> None:
    code, _, err = audit(tmp_path, of(FINE, BAD))
    assert code == 1
    assert err.splitlines() == [
        "audit: celery 5.7.0: CVE-1, repaired in 5.7.1",
        "audit: celery 5.7.0: CVE-2, repaired in no version yet",
    ]


def test_a_package_that_was_not_checked_is_a_failure(tmp_path: Path) -> None:
    code, out, err = audit(tmp_path, of(FINE, SKIPPED))
    assert (code, out) == (1, "packages checked: 1\n")
    assert err == "audit: not checked, as the registry says nothing of them: spacy\n"


def test_a_long_list_of_them_is_cut(tmp_path: Path) -> None:
    _, _, err = audit(tmp_path, of(*(SKIPPED | {"name": f"p{n:02}"} for n in range(25))))
    assert err.endswith("p09 and 15 more\n")


@pytest.mark.parametrize("report", ["", "no JSON", "[]", "{}", of()])
def test_no_report_is_a_failure(tmp_path: Path, report: str) -> None:
    code, _, err = audit(tmp_path, report)
    assert code == 1
    assert err.startswith("audit: ")
