"""docs/composite.md: its examples run as they stand, and print what it says."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

DOCS = Path(__file__).parents[3] / "docs" / "composite.md"
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_the_page_says(
    server_url: str,
    run: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    # the page names the keys of a server that nobody else uses: a database of its own
    monkeypatch.setenv("GROUNDWIRE_REDIS_URL", re.sub(r"/\d+$", "/9", server_url))
    for name in [name for name in os.environ if name.startswith("GROUNDWIRE_") and not name.endswith("_URL")]:
        monkeypatch.delenv(name)
    namespace: dict[str, Any] = {}
    printed, checked = "", 0
    for kind, text in BLOCK.findall(DOCS.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(text, str(DOCS), "exec"), namespace)  # noqa: S102 - the page's own examples
            printed = capfd.readouterr().out
        elif kind == "text":
            assert printed == text
            checked += 1
        else:
            command, expected = text.removeprefix("$ groundwire ").split("\n", 1)
            code, out, _ = run(*shlex.split(command.partition("|")[0]))
            assert code == 0
            assert json.loads(out)["composite"] == json.loads(expected)
            checked += 1
    assert checked == 4
