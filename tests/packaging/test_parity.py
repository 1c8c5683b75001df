"""docs/parity.md names tests that there are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
TEXT = (ROOT / "docs" / "parity.md").read_text("utf-8")


def test_every_feature_has_a_test_that_there_is() -> None:
    named = NAMED.findall(TEXT)
    features = [
        line for line in TEXT.splitlines() if line.startswith("|") and not line.startswith(("|---", "| there |"))
    ]
    assert len(named) == len(features) > 0
    missing = [f"{path}::{name}" for path, name in named if name not in _tests_in(ROOT / path)]
    assert missing == []


def _tests_in(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.FunctionDef)}
