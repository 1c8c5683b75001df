from __future__ import annotations

from difflib import SequenceMatcher
from itertools import combinations

import pytest

from groundwire.client.settings import NEAR_MISS, ClientSettings
from groundwire.schemas import Limits, SettingsError
from groundwire.worker.settings import WorkerSettings

BOTH = pytest.mark.parametrize("kind", [ClientSettings, WorkerSettings])


@BOTH
def test_an_empty_environment_gives_the_defaults(kind: type[ClientSettings]) -> None:
    settings = kind.from_env({"PATH": "/bin", "GROUNDWIRE_REDIS_URL": ""})
    assert settings == kind()
    assert settings.redis_url == "redis://localhost:6379/0"
    assert settings.limits == Limits()


@BOTH
def test_variables_are_read(kind: type[ClientSettings]) -> None:
    settings = kind.from_env({"GROUNDWIRE_REDIS_URL": "rediss://host:1/2", "GROUNDWIRE_MAX_CHUNKS": "7"})
    assert (settings.redis_url, settings.limits.max_chunks) == ("rediss://host:1/2", 7)


@BOTH
@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("GROUNDWIRE_MAX_CHUNKS", "many", "It takes a whole number from 1 to 100000"),
        ("GROUNDWIRE_MAX_CHUNKS", "0", "It takes a whole number from 1 to 100000"),
        ("GROUNDWIRE_MAX_JOB_BYTES", "1e9", "It takes a whole number from 1024 to 536870912"),
        ("GROUNDWIRE_PREFIX", "groundwire:", "the part in braces"),
    ],
)
def test_a_wrong_value_is_told_with_what_is_allowed(
    kind: type[ClientSettings], variable: str, value: str, allowed: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        kind.from_env({variable: value})
    message = str(caught.value)
    assert message.startswith(f"{variable}={value}: ")
    assert allowed in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "url", ["localhost:6379", "http://localhost", "redis://:se-cr-et@host:port/0", "redis://:se-cr-et/x@host:6379/0"]
)
def test_a_wrong_url_is_told_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError, match=r"GROUNDWIRE_REDIS_URL: .*redis://") as caught:
        ClientSettings.from_env({"GROUNDWIRE_REDIS_URL": url})
    assert "se-cr-et" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_password_is_not_in_the_representation() -> None:
    assert "se-cr-et" not in repr(ClientSettings(redis_url="redis://:se-cr-et@localhost/0"))


@BOTH
@pytest.mark.parametrize(
    ("variable", "meant"),
    [("GROUNDWIRE_REDIS_ULR", "GROUNDWIRE_REDIS_URL"), ("GROUNDWIRE_PREFX", "GROUNDWIRE_PREFIX")],
)
def test_a_misspelt_setting_is_told(kind: type[ClientSettings], variable: str, meant: str) -> None:
    with pytest.raises(SettingsError, match=f"{variable} is not a setting; did you mean {meant}?"):
        kind.from_env({variable: "x"})


def test_the_clients_settings_live_beside_all_of_the_workers() -> None:
    environ = {f"GROUNDWIRE_{field.upper()}": "x" for field in WorkerSettings.model_fields}
    own = {f"GROUNDWIRE_{field.upper()}" for field in ClientSettings.model_fields}
    ClientSettings.from_env({name: value for name, value in environ.items() if name not in own})


def test_no_setting_looks_like_another_one_misspelt() -> None:
    alike = [
        pair
        for pair in combinations(WorkerSettings.model_fields, 2)
        if SequenceMatcher(None, *pair).ratio() >= NEAR_MISS
    ]
    assert alike == []


def test_every_setting_is_described() -> None:
    assert all(field.description for field in WorkerSettings.model_fields.values())
