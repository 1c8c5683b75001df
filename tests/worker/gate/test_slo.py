"""slo.toml: what it takes, and what is said of what it does not take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.schemas import SettingsError
from groundwire.worker.gate.slo import Slo

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hooks.example/T000/B000"  # noqa: S105 - made up


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "slo.toml"


def test_minimums_and_hooks_are_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_URL", f"https://{SECRET}")
    monkeypatch.setenv("OWN_TOKEN", "t0ken")
    path.write_text(
        "[minimum]\nfaithfulness = 0.9\ntriad = 1\n[on_regression]\nslack = 'env:SLACK_URL'\n"
        "github_repository = 'owner/name.x'\ngithub_token_env = 'OWN_TOKEN'\n"
    )
    slo = Slo.read(str(path))
    assert slo.minimum == {"faithfulness": 0.9, "triad": 1}
    assert slo.on_regression.slack == f"https://{SECRET}"
    assert slo.on_regression.github_token == "t0ken"  # noqa: S105 - made up
    assert SECRET not in repr(slo)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[minimum]\nfaithfullness = 0.9", "minimum: faithfullness is no metric; it takes faithfulness, groundedness"),
        ("[minimum]\nfaithfulness = 1.5", "minimum.faithfulness: 1.5 is no number from 0 to 1"),
        ("[minimum]\nfaithfulness = nan", "minimum.faithfulness: nan is no number from 0 to 1"),
        ("[minimum]\nfaithfulness = true", "minimum.faithfulness: what stands there is no number from 0 to 1"),
        ("[minimum]\nfaithfulness = '0.9'", "minimum.faithfulness: what stands there is no number from 0 to 1"),
        ("minimum = 0.9", "minimum: is no table; it is written [minimum], with a line for each metric"),
        ("faithfulness = 0.9", "faithfulness: is not known; it takes [minimum] and [on_regression]"),
        ("[minimum", "is no TOML file: "),
        (f"[on_regression]\nwebhook = '{SECRET}'", "on_regression.webhook: is no http or https URL"),
        ("[on_regression]\nwebhook = 'http://[::1'", "on_regression.webhook: is no http or https URL"),
        ("[on_regression]\nwebhook = 'https://:80/'", "on_regression.webhook: is no http or https URL"),
        ("[on_regression]\nslack = 'http://localhost:99999/'", "on_regression.slack: is no http or https URL"),
        ("[on_regression]\nteams = 'https://x'", "on_regression.teams: is not known; it takes webhook, slack, "),
        (
            "[on_regression]\nslack = 'env:NOT_SET'",
            "on_regression.slack: the variable NOT_SET is not set",
        ),
        ("[on_regression]\ngithub_repository = 'a/b/c'", "on_regression.github_repository: is no repository;"),
        (
            "[on_regression]\ngithub_repository = 'a/b'\ngithub_token_env = 'NOT_SET'",
            "on_regression.github_token_env: the variable NOT_SET is not set; set it to a token",
        ),
    ],
)
def test_what_it_does_not_take_is_named(path: Path, content: str, problem: str) -> None:
    path.write_text(content)
    with pytest.raises(SettingsError) as raised:
        Slo.read(str(path))
    assert problem in str(raised.value)
    assert SECRET not in str(raised.value)


def test_a_mark_of_the_encoding_and_a_line_break_behind_a_token_do_no_harm(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("\ufeff[on_regression]\ngithub_repository = 'owner/name'\n", "utf-8")
    monkeypatch.setenv("GITHUB_TOKEN", "t0ken\n")
    assert Slo.read(str(path)).on_regression.github_token == "t0ken"  # noqa: S105 - made up
    monkeypatch.setenv("GITHUB_TOKEN", "t\u00f6ken")
    with pytest.raises(SettingsError, match="the variable GITHUB_TOKEN holds a blank or a letter that no token has"):
        Slo.read(str(path))


def test_a_file_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(SettingsError, match=r"--slo .*slo.toml: No such file or directory; name a TOML file"):
        Slo.read(str(path))
