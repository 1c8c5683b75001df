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
        ("[minimum]\nfaithfulness = 1.5", "minimum.faithfulness: Input should be less than or equal to 1"),
        ("[minimum]\nfaithfulness = '0.9'", "minimum.faithfulness: "),
        ("faithfulness = 0.9", "faithfulness: is not known; it takes [minimum] and [on_regression]"),
        ("[minimum", "is no TOML file: "),
        (f"[on_regression]\nwebhook = '{SECRET}'", "on_regression.webhook: is no http or https URL"),
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


def test_a_file_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(SettingsError, match=r"--slo .*slo.toml: No such file or directory; name a TOML file"):
        Slo.read(str(path))
