"""pyproject.toml, the folders on disk, the built wheel and the stated versions agree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS: dict[str, Any] = PROJECT["tool"]["setuptools"]
FOLDERS = ("schemas", "models", "client", "worker")
VERSION = PROJECT["project"]["version"]


def shipped_files() -> set[str]:
    """Every file of the packages, as it is called in an installation."""
    return {
        f"groundwire/{path.relative_to(ROOT).as_posix()}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_every_package_on_disk_is_listed_and_every_listed_one_exists() -> None:
    on_disk = {str(Path(name).parent).replace("/", ".") for name in shipped_files() if name.endswith(".py")}
    assert on_disk == set(SETUPTOOLS["packages"])


def test_every_package_is_mapped_from_the_folder_of_its_name() -> None:
    assert SETUPTOOLS["package-dir"] == {f"groundwire.{folder}": folder for folder in FOLDERS}


@pytest.mark.parametrize("package", SETUPTOOLS["packages"])
def test_every_package_says_what_it_is(package: str) -> None:
    folder = ROOT / Path(*package.split(".")[1:])
    assert (folder / "__init__.py").read_text().startswith('"""')


def test_every_top_level_package_is_typed() -> None:
    assert all((ROOT / folder / "py.typed").exists() for folder in FOLDERS)


def test_wheel_holds_every_file_of_the_packages_and_nothing_else(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    build = "import sys, setuptools.build_meta as b; print(b.build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == shipped_files()


def test_installed_version_is_that_of_the_sources() -> None:
    assert metadata.version("groundwire") == VERSION, "run `make install`"


def test_image_is_labelled_with_the_same_version() -> None:
    assert f"\nARG VERSION={VERSION}\n" in (ROOT / "Dockerfile").read_text()


def test_changelog_has_unreleased_first_and_no_version_beyond_this_one() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    released = [tuple(map(int, heading.split("."))) for heading in headings[1:]]
    assert released == sorted(released, reverse=True)
    assert all(version <= tuple(map(int, VERSION.split("."))) for version in released)


def test_contributing_names_every_direct_dependency() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    extras = PROJECT["project"]["optional-dependencies"]
    requirements = PROJECT["project"]["dependencies"] + [text for extra in extras.values() for text in extra]
    names = {re.split(r"[\[<>=!~ ]", requirement, maxsplit=1)[0] for requirement in requirements} - {"groundwire"}
    assert {name for name in names if f"| {name} |" not in text} == set()


def test_contributing_names_no_file_that_is_gone() -> None:
    named = set(re.findall(r"`([\w.]+/[\w./-]*)`", (ROOT / "CONTRIBUTING.md").read_text()))
    assert {name for name in named if not (ROOT / name).exists()} == set()
