"""The lock files are in step with pyproject.toml, complete, and tied to no registry."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRA_OF_LOCK = {"worker.lock": "worker", "embedded.lock": "embedded", "dev.lock": "dev"}
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")

each_lock = pytest.mark.parametrize("lock", EXTRA_OF_LOCK)


@cache
def lines_of(lock: str) -> tuple[str, ...]:
    """The logical lines: comments dropped, continuations joined."""
    text = (ROOT / "requirements" / lock).read_text()
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return tuple(line.strip() for line in text.splitlines() if line.strip())


@cache
def pins_of(lock: str) -> dict[str, tuple[Requirement, Version]]:
    pins: dict[str, tuple[Requirement, Version]] = {}
    for line in lines_of(lock):
        requirement = Requirement(line.split("--hash", 1)[0].strip())
        (pin,) = requirement.specifier
        pins[canonicalize_name(requirement.name)] = (requirement, Version(pin.version))
    return pins


def wanted(extra: str) -> list[Requirement]:
    """What the extra asks for, with the base dependencies, the extras that it builds on and the needs of the build."""
    texts = PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["build"]
    pending, seen = [extra], set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for text in PROJECT["project"]["optional-dependencies"][name]:
            requirement = Requirement(text)
            if requirement.name == PROJECT["project"]["name"]:
                pending.extend(requirement.extras)
            else:
                texts.append(text)
    return [Requirement(text) for text in texts]


def applies_here(requirement: Requirement, extras: frozenset[str] = frozenset()) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in (extras or {""}))


def test_every_lock_file_has_its_extra() -> None:
    assert {path.name for path in (ROOT / "requirements").iterdir()} == set(EXTRA_OF_LOCK)


@each_lock
def test_every_requirement_has_a_pin_that_satisfies_it(lock: str) -> None:
    pins = pins_of(lock)
    for requirement in wanted(EXTRA_OF_LOCK[lock]):
        name = canonicalize_name(requirement.name)
        assert name in pins, f"{requirement} is not in {lock}: run `make lock`"
        assert requirement.specifier.contains(pins[name][1], prereleases=True), f"{requirement}: run `make lock`"


@each_lock
def test_every_pin_is_exact_and_hashed(lock: str) -> None:
    for line in lines_of(lock):
        requirement, _, hashes = line.partition("--hash")
        assert [specifier.operator for specifier in Requirement(requirement.strip()).specifier] == ["=="], line[:80]
        assert HASH.search("--hash" + hashes), f"{requirement.strip()} has no hash"


@each_lock
def test_lock_names_no_registry_and_no_path(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text()
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host|(^|\s)-[fie]\s| @ |(^|\s)/\w", text)


@each_lock
def test_lock_holds_exactly_what_is_needed_here(lock: str) -> None:
    """A pin that nothing needs any more, or a need without a pin, shows that the lock was not made anew."""
    needed: set[str] = set()
    pending = [(canonicalize_name(want.name), frozenset(want.extras)) for want in wanted(EXTRA_OF_LOCK[lock])]
    seen = set()
    while pending:
        entry = pending.pop()
        if entry in seen:
            continue
        seen.add(entry)
        name, extras = entry
        needed.add(name)
        for text in metadata.requires(name) or ():
            requirement = Requirement(text)
            if applies_here(requirement, extras | {""}):
                pending.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    assert {name for name, (pin, _) in pins_of(lock).items() if applies_here(pin)} == needed


def test_installed_versions_are_the_locked_ones() -> None:
    wrong = {
        name: metadata.version(name)
        for name, (pin, version) in pins_of("dev.lock").items()
        if applies_here(pin) and Version(metadata.version(name)) != version
    }
    assert not wrong, "run `make install`"


@pytest.mark.parametrize(("part", "whole"), [("worker.lock", "embedded.lock"), ("embedded.lock", "dev.lock")])
def test_smaller_locks_are_parts_of_the_larger(part: str, whole: str) -> None:
    assert {name: version for name, (_, version) in pins_of(part).items()}.items() <= {
        name: version for name, (_, version) in pins_of(whole).items()
    }.items()


def test_nothing_pulls_in_torch() -> None:
    assert not [name for name in pins_of("dev.lock") if name.startswith(("torch", "nvidia", "tensorflow", "jax"))]


def test_build_group_is_what_the_build_requires() -> None:
    assert PROJECT["dependency-groups"]["build"] == PROJECT["build-system"]["requires"]
