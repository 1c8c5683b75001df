"""The image: from the lock, without root, without a model unless asked for, and with nothing that it doesn't need."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from groundwire.worker.cli.parser import build_parser

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text()
CACHE = "/var/cache/groundwire"


def instructions() -> list[tuple[str, str]]:
    """Pairs of instruction and arguments, continuations joined, comments dropped."""
    text = re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE).replace("\\\n", " ")
    return [
        (word, re.sub(r"\s+", " ", rest))
        for word, _, rest in (line.partition(" ") for line in text.splitlines() if line)
    ]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for word, rest in instructions():
        if word == "FROM":
            found.append([])
        if found:
            found[-1].append((word, rest))
    return found


BUILDER, RUNTIME = stages()


def arguments(stage: list[tuple[str, str]], word: str) -> list[str]:
    return [rest for found, rest in stage if found == word]


def environment(stage: list[tuple[str, str]]) -> dict[str, str]:
    return dict(pair.split("=", 1) for rest in arguments(stage, "ENV") for pair in rest.split())


def test_both_stages_build_on_one_python_that_groundwire_supports() -> None:
    (version,) = [rest.removeprefix("PYTHON_VERSION=") for rest in arguments(instructions(), "ARG") if "PYTHON" in rest]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"{version}.0" in SpecifierSet(project["requires-python"])
    assert {BUILDER[0][1].split()[0], RUNTIME[0][1]} == {"python:${PYTHON_VERSION}-slim-bookworm"}


def test_everything_is_installed_from_hashes_and_nothing_in_the_runtime_stage() -> None:
    installs = [rest for rest in arguments(BUILDER, "RUN") if "pip install" in rest]
    assert all("--require-hashes" in rest or "--no-deps --no-build-isolation ." in rest for rest in installs)
    assert not [rest for rest in arguments(RUNTIME, "RUN") if re.search(r"\b(pip|apt-get|curl|wget)\b", rest)]


def test_no_model_unless_it_is_asked_for() -> None:
    assert "BAKE_EMBEDDED_MODEL=0" in arguments(BUILDER, "ARG")
    (install,) = [rest for rest in arguments(BUILDER, "RUN") if "--require-hashes" in rest]
    assert "0) lock=worker" in install
    assert "1) lock=embedded" in install
    assert "must not be built with BAKE_EMBEDDED_MODEL=1" in TEXT
    assert "states no licence" in TEXT


def test_baking_builds_the_model_into_the_folder_that_the_runtime_reads() -> None:
    assert any("groundwire models build" in rest for rest in arguments(BUILDER, "RUN"))
    assert build_parser().parse_args(["models", "build"]).command == "models"
    assert environment(BUILDER)["GROUNDWIRE_CACHE_DIR"] == environment(RUNTIME)["GROUNDWIRE_CACHE_DIR"] == CACHE
    assert f"--from=builder --chown=groundwire:groundwire {CACHE} {CACHE}" in arguments(RUNTIME, "COPY")
    assert arguments(RUNTIME, "VOLUME") == [CACHE]


def test_volume_is_declared_after_its_content_which_would_be_lost_otherwise() -> None:
    words = [word for word, _ in RUNTIME]
    assert words.index("VOLUME") > max(index for index, word in enumerate(words) if word == "COPY")


def test_runs_without_root_and_logs_without_a_buffer() -> None:
    (user,) = arguments(RUNTIME, "USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    assert environment(RUNTIME)["PYTHONUNBUFFERED"] == "1"


def test_tells_nobody_what_it_does() -> None:
    assert environment(RUNTIME)["ORT_DISABLE_TELEMETRY"] == "1"


def test_is_ready_for_a_health_check() -> None:
    assert Path(environment(RUNTIME)["GROUNDWIRE_HEARTBEAT_FILE"]).parent == Path("/tmp")  # noqa: S108 - in a container


def test_starts_a_worker_by_default() -> None:
    assert arguments(RUNTIME, "ENTRYPOINT") == ['["groundwire"]']
    assert arguments(RUNTIME, "CMD") == ['["worker"]']


@pytest.mark.parametrize("label", ["title", "description", "version", "licenses"])
def test_carries_the_labels_of_an_image(label: str) -> None:
    assert f"org.opencontainers.image.{label}=" in arguments(RUNTIME, "LABEL")[0]


def test_context_holds_exactly_what_is_copied() -> None:
    sources = {source.rstrip("/") for rest in arguments(BUILDER, "COPY") for source in rest.split()[:-1]}
    ignore = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignore
    assert {line.removeprefix("!") for line in ignore if line.startswith("!")} == sources
    assert all((ROOT / source).exists() for source in sources)
