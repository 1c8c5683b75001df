"""action.yml is a composite action whose script runs, and that lets no input become a command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
EVALUATE = next(step for step in STEPS if step.get("id") == "evaluate")
RECORDER = '#!/bin/bash\nprintf "%s\\n" "$@" > "$RECORD"\nexit "$CODE"\n'


def run_step(folder: Path, inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script of the step as a runner does, with the inputs given over their defaults.

    The folder is what the runner offers for temporary files, where an earlier step has made a virtual environment.
    """
    values = {name: str(of.get("default", "")) for name, of in ACTION["inputs"].items()} | inputs
    environ = {
        name: values[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in EVALUATE["env"].items()
    }
    files = {name: str(folder / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "RECORD")}
    environ |= files | {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(folder), "CODE": inputs.get("code", "0")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", EVALUATE["run"]]
    return subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def recorder(tmp_path: Path) -> None:
    """A `groundwire` that writes down its words, where the step expects the real one."""
    folder = tmp_path / "groundwire" / "bin"
    folder.mkdir(parents=True)
    (folder / "groundwire").write_text(RECORDER)
    (folder / "groundwire").chmod(0o755)


def test_it_is_a_composite_action_with_described_inputs() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert {"name", "description", "inputs", "outputs", "runs"} <= ACTION.keys()
    assert all(value["description"] for value in ACTION["inputs"].values())
    assert ACTION["inputs"]["file"]["required"] is True
    assert all(("run" in step) != ("uses" in step) for step in STEPS)
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)


def test_every_expression_names_an_input_that_there_is_and_none_stands_in_a_script() -> None:
    text = (ROOT / "action.yml").read_text()
    named = {part.split("}}")[0].strip().removeprefix("inputs.") for part in text.split("${{")[1:] if "inputs." in part}
    assert {name for name in named if "." not in name and "(" not in name} == set(ACTION["inputs"])
    assert all("${{" not in step["run"] for step in STEPS if "run" in step)


def test_the_steps_of_the_caller_keep_their_path_and_their_python() -> None:
    assert all("GITHUB_PATH" not in step["run"] for step in STEPS if "run" in step)
    [setup] = [step for step in STEPS if step.get("uses", "").startswith("actions/setup-python@")]
    assert setup["with"]["update-environment"] is False


@pytest.mark.usefixtures("recorder")
def test_inputs_become_flags_and_stay_one_word_each(tmp_path: Path) -> None:
    inputs = {"file": "my answers; touch owned.jsonl", "slo": "$(touch owned)", "sample": "20", "texts": "false"}
    ended = run_step(tmp_path, inputs)
    assert ended.returncode == 0, ended.stderr
    words = (tmp_path / "RECORD").read_text().splitlines()
    expected = ["evaluate", "--profile", "evidence", "--output", "groundwire-report", "--slo", "$(touch owned)"]
    assert words == [*expected, "--sample", "20", "--no-texts", "--", "my answers; touch owned.jsonl"]
    assert not list(tmp_path.glob("owned*"))


@pytest.mark.usefixtures("recorder")
def test_the_exit_code_of_the_gate_is_that_of_the_step_and_the_report_is_shown(tmp_path: Path) -> None:
    (tmp_path / "groundwire-report").mkdir()
    (tmp_path / "groundwire-report" / "report.md").write_text("# Groundwire: failed\n")
    ended = run_step(tmp_path, {"file": "a.jsonl", "code": "3"})
    assert ended.returncode == 3
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text() == "# Groundwire: failed\n"
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == "report=groundwire-report/report.json\n"


def test_the_command_line_takes_the_flags(tmp_path: Path) -> None:
    inputs = {"file": "nosuch.jsonl", "metrics": "faithfulness", "tolerance": "0.1", "sample": "5"}
    (tmp_path / "groundwire").symlink_to(Path(sys.executable).parents[1])
    ended = run_step(tmp_path, inputs)
    assert ended.returncode == 2
    assert ended.stderr == (
        "groundwire: error: nosuch.jsonl: No such file or directory; name a JSONL file, plain or gzipped\n"
    )
