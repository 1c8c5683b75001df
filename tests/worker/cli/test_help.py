from __future__ import annotations

import shlex
from importlib.metadata import version
from pathlib import Path

import pytest

from groundwire.worker.cli import main
from groundwire.worker.cli.parser import COMMANDS, build_parser

NAMES = [
    "score",
    "submit",
    "worker",
    "intake",
    "results",
    "status",
    "combine",
    "dead",
    "rescore",
    "models",
    "evaluate",
    "schema",
    "health",
    "demo",
]


def test_help_lists_every_command_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    for name in NAMES:
        assert f"\n  {name} " in shown
        assert f"\n             groundwire {name}" in shown


@pytest.mark.parametrize("name", NAMES)
def test_each_command_shows_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert f"usage: groundwire {name}" in shown
    assert "examples:\n  " in shown


def commands_of_example(example: str) -> list[list[str]]:
    """Split an example at its pipes, and keep what runs Groundwire without variables and redirections."""
    found = []
    for part in example.split("|"):
        words = shlex.split(part.partition(">")[0])
        if "groundwire" in words:
            found.append(words[words.index("groundwire") + 1 :])
    return found


@pytest.mark.parametrize("example", [example for command in COMMANDS for example in command.examples])
def test_examples_are_command_lines_that_parse(example: str) -> None:
    (words,) = commands_of_example(example)
    assert build_parser().parse_args(words).command == words[0]


def test_every_command_is_described_in_the_docs() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "commands.md").read_text("utf-8")
    for name in NAMES:
        assert f"\n## {name}\n" in docs
        assert f"$ groundwire {name}" in docs


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"groundwire {version('groundwire')}\n"


def test_no_command_shows_the_help_and_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["scor"], "'scor'"),
        (["score", "--profil", "original"], "--profil"),
        (["score", "--profile", "best"], "'best'"),
        (["score", "--metrics", "faithfulness,truth"], "'faithfulness,truth'"),
        (["submit", "--timeout", "soon"], "'soon'"),
        (["submit", "--timeout", "nan"], "'nan'"),
        (["health", "--max-age", "-1"], "'-1'"),
        (["status", "--max-backlog", "-1"], "'-1'"),
        (["dead"], "list|show|replay"),
        (["evaluate", "rows.jsonl", "--tolerance", "2"], "--tolerance"),
        (["evaluate", "rows.jsonl", "--labels", "l", "--sample", "0"], "--sample"),
        (["evaluate", "rows.jsonl", "--labels", "l", "--seed", "1.5"], "'1.5'"),
        (["evaluate", "rows.jsonl", "--labels", "l", "--processes", "1000"], "--processes"),
        (["evaluate", "rows.jsonl", "--labels", "l", "--texts", "--no-texts"], "--no-texts"),
        (["dead", "replay"], "ENTRY"),
        (["rescore", "--since", "yesterday"], "'yesterday'"),
        (["dead", "purge", "--older-than", "0"], "'0'"),
        (["schema", "answer"], "'answer'"),
    ],
)
def test_a_wrong_flag_is_one_line_that_names_it(
    words: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("groundwire: error: ")
    assert named in shown.err
    assert shown.err.count("\n") == 1
