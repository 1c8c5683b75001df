"""Pulling from a server that speaks the Hub's API, and loading what was pulled without it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groundwire.models import NliEngine, resolve
from groundwire.models.hub import HubModel, pull, pulled
from groundwire.models.model_lock import LOCK_FILE
from groundwire.schemas.errors import ModelError
from tests.models import tiny_model
from tests.models.hub_server import COMMIT, HubServer, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "acme/tiny-nli"
NEXT_COMMIT = "f" * 40


@pytest.fixture(scope="module")
def server() -> Iterator[HubServer]:
    with HubServer() as running:
        yield running


@pytest.fixture
def hub(server: HubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> HubServer:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path))
    server.repositories = {NAME: Repository(tiny_model.files() | {"README.md": b"#", "pytorch_model.bin": b"no"})}
    server.requests.clear()
    return server


def wanted(name: str = NAME) -> HubModel:
    model = HubModel.parse(name)
    assert model is not None
    return model


def ignore(_: str) -> None:
    pass


def test_pull_records_commit_and_hashes_and_fetches_only_what_is_needed(hub: HubServer) -> None:
    lines: list[str] = []
    lock = pull(wanted(), lines.append)
    assert (lock.model, lock.revision, lock.commit) == (NAME, "main", COMMIT)
    repository = hub.repositories[NAME]
    assert {name: file.sha256 for name, file in lock.files.items()} == {
        name: repository.sha256(name) for name in ("config.json", "tokenizer.json", "model.safetensors")
    }
    assert all(any(file.sha256 in line for line in lines) for file in lock.files.values())
    assert {path.name for path in wanted().folder.iterdir()} == {*lock.files, LOCK_FILE}
    assert pulled(wanted()) == lock


def test_a_pulled_model_is_built_and_runs_without_the_hub(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    pull(wanted(), ignore)
    hub.requests.clear()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    files = resolve(NAME)
    assert files.model_id == f"{NAME}-int8"
    assert resolve(NAME) == files
    probabilities = NliEngine.load(files, threads=1).score([("A premise.", "A hypothesis.")])
    np.testing.assert_allclose(probabilities.sum(1), 1, atol=1e-6)
    assert hub.requests == []


def test_a_revision_is_pulled_beside_main(hub: HubServer) -> None:
    hub.repositories[NAME].revisions += ("v2",)
    pull(wanted(), ignore)
    lock = pull(wanted(f"{NAME}@v2"), ignore)
    assert lock.revision == "v2"
    assert wanted(f"{NAME}@v2").folder != wanted().folder
    assert resolve(f"{NAME}@v2").model_id == f"{NAME}@v2-int8"


def test_pulling_again_takes_the_new_commit_and_nothing_of_the_old(hub: HubServer) -> None:
    old = pull(wanted(), ignore)
    changed = tiny_model.files(tiny_model.weights(seed=4))
    hub.repositories[NAME] = Repository(changed, ("main", NEXT_COMMIT), NEXT_COMMIT)
    new = pull(wanted(), ignore)
    assert new.commit == NEXT_COMMIT
    assert new.files["model.safetensors"] != old.files["model.safetensors"]
    assert {path.name for path in wanted().folder.parent.iterdir()} == {"main"}


def test_a_pull_that_fails_leaves_the_model_that_was_there(hub: HubServer) -> None:
    lock = pull(wanted(), ignore)
    hub.repositories[NAME] = Repository({"config.json": b"{}"}, ("main", NEXT_COMMIT), NEXT_COMMIT)
    with pytest.raises(ModelError):
        pull(wanted(), ignore)
    assert pulled(wanted()) == lock
    resolve(NAME)


def test_weights_in_several_files_are_pulled_and_read(hub: HubServer) -> None:
    whole = tiny_model.weights()
    names = sorted(whole)
    parts = {"model-1.safetensors": names[:7], "model-2.safetensors": names[7:]}
    content = {part: tiny_model.safetensors({name: whole[name] for name in some}) for part, some in parts.items()}
    index = {"weight_map": {name: part for part, some in parts.items() for name in some}}
    files = tiny_model.files() | content | {"model.safetensors.index.json": json.dumps(index).encode()}
    pull(wanted(), ignore)
    expected = resolve(NAME).sha256
    del files["model.safetensors"]
    hub.repositories["acme/parts"] = Repository(files)
    lock = pull(wanted("acme/parts"), ignore)
    assert {*parts, "model.safetensors.index.json"} < set(lock.files)
    assert resolve("acme/parts").sha256 == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-9] + b"tampered!"), "altered, its SHA-256 is"),
        (lambda path: path.write_bytes(path.read_bytes()[:100]), "truncated to 100 of"),
        (lambda path: path.unlink(), "missing; expected SHA-256"),
    ],
)
@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("built", [False, True])
@pytest.mark.usefixtures("hub")
def test_a_file_that_is_not_what_was_pulled_is_refused(
    change: pytest.FixtureRequest, message: str, name: str, *, built: bool
) -> None:
    pull(wanted(), ignore)
    if built:
        resolve(NAME)
    change(wanted().folder / name)
    with pytest.raises(ModelError, match=rf"{name}: {message}.*groundwire models pull --model {NAME}"):
        resolve(NAME)


@pytest.mark.usefixtures("hub")
def test_a_damaged_lock_is_refused() -> None:
    pull(wanted(), ignore)
    (wanted().folder / LOCK_FILE).write_bytes(b"{}")
    with pytest.raises(ModelError, match=r"groundwire\.lock\.json: damaged .* pull the model again"):
        resolve(NAME)


@pytest.mark.usefixtures("hub")
def test_a_file_that_was_put_beside_the_pulled_ones_is_not_used() -> None:
    pull(wanted(), ignore)
    before = resolve(NAME)
    (wanted().folder / "model.safetensors.index.json").write_bytes(b"{}")
    (wanted().folder / "model.onnx").write_bytes(b"")
    assert resolve(NAME) == before


@pytest.mark.usefixtures("hub")
def test_a_model_that_was_not_pulled_is_not_fetched() -> None:
    with pytest.raises(ModelError, match="is not on this machine yet; pull it: groundwire models pull --model acme/ot"):
        resolve("acme/other")
