"""Ask pip-audit about the locked packages, and fail where it found something or did not look.

pip-audit ends well when the registry knows nothing of a package and so nothing was checked; here that is a failure.

Run by `make audit`. Exit codes: 0 all packages were checked and none has a known vulnerability, 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCKS = sorted((Path(__file__).parents[1] / "requirements").glob("*.lock"))

SHOWN = 10
"""Packages that were not checked and are named; where a registry knows none, the list would be long."""


def main() -> int:
    """Print what is wrong, or that nothing is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, help="a report of pip-audit as JSON to judge; none: make one")
    report = parser.parse_args().report
    problems, checked = judge(report.read_text(encoding="utf-8") if report else ask())
    for problem in problems:
        print(f"audit: {problem}", file=sys.stderr)
    print(f"packages checked: {checked}")
    return 1 if problems else 0


def ask() -> str:
    """Run pip-audit over the locks; returns its report as JSON, and nothing where it failed."""
    files = [word for lock in LOCKS for word in ("--requirement", str(lock))]
    flags = ["--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
    command = [sys.executable, "-m", "pip_audit", *flags, *files]
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603 - all fixed


def judge(report: str) -> tuple[list[str], int]:
    """Return what is wrong, a line each, and how many packages were checked."""
    try:
        packages: list[dict[str, Any]] = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return ["pip-audit gave no report; see what it printed"], 0
    vulnerable = {
        f"{package['name']} {package['version']}: {one['id']}, repaired in "
        f"{', '.join(one.get('fix_versions') or ()) or 'no version yet'}"
        for package in packages
        for one in package.get("vulns", ())
    }
    skipped = sorted({package["name"] for package in packages if "skip_reason" in package})
    checked = len({package["name"] for package in packages if "vulns" in package})
    problems = sorted(vulnerable)
    if skipped:
        names = ", ".join(skipped[:SHOWN]) + (f" and {len(skipped) - SHOWN} more" if len(skipped) > SHOWN else "")
        problems.append(f"not checked, as the registry says nothing of them: {names}")
    if not problems and checked == 0:
        problems.append("no package was checked")
    return problems, checked


if __name__ == "__main__":
    sys.exit(main())
