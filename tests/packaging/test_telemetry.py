"""Scoring sends nothing to anybody: onnxruntime's own telemetry, on by default, is off before it is loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from groundwire.models.build_cache import CACHE_VARIABLE, cache_folder

if TYPE_CHECKING:
    from pathlib import Path

LOAD_MODEL = """
from groundwire.models.build_cache import build_embedded
from groundwire.models.nli_engine import NliEngine
NliEngine.load(build_embedded(), 1)
"""
SWITCHES = ("ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS", "CI")


def test_loading_a_model_leaves_no_identifier_and_no_events_in_the_home_folder(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in (*SWITCHES, "XDG_CACHE_HOME")}
    environment |= {"HOME": str(tmp_path), CACHE_VARIABLE: str(cache_folder())}
    subprocess.run([sys.executable, "-c", LOAD_MODEL], check=True, env=environment, capture_output=True)
    assert list(tmp_path.rglob("*")) == []
