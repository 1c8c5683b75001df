"""Models of the Hub that can't be pulled or run: each is refused with what to do, before its weights are fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.models.hub import HubModel, pull
from groundwire.schemas.errors import ModelError
from groundwire.worker.cli import main
from tests.models import tiny_model
from tests.models.hub_server import HubServer, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "acme/tiny-nli"
WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def server() -> Iterator[HubServer]:
    with HubServer() as running:
        yield running


@pytest.fixture
def hub(server: HubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> HubServer:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path))
    server.repositories.clear()
    server.requests.clear()
    return server


def without(name: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {other: content for other, content in files.items() if other != name}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (tiny_model.files(id2label=None), "has no id2label"),
        (tiny_model.files(id2label={"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}), "only has placeholders"),
        (tiny_model.files(id2label={"0": "entailment", "1": "not_entailment"}), "has 2 labels"),
        (tiny_model.files(conv_kernel_size=3), "conv_kernel_size is 3"),
        (tiny_model.files(model_type="roberta"), "model_type is 'roberta'"),
        (without("tokenizer.json", tiny_model.files()), r"has no tokenizer\.json"),
        (without("config.json", tiny_model.files()), r"has no config\.json"),
        (without(WEIGHTS, tiny_model.files()) | {"pytorch_model.bin": b"x"}, "can run code when it is read; convert"),
        (without(WEIGHTS, tiny_model.files()), "has neither model.safetensors nor model.onnx"),
    ],
)
def test_what_cannot_run_is_refused_before_its_weights_are_fetched(
    hub: HubServer, files: dict[str, bytes], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.repositories[NAME] = Repository(files)
    assert main(["models", "pull", "--model", NAME]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"groundwire: error: model {NAME}")
    assert message.replace("\\", "") in err
    assert not [request for request in hub.requests if WEIGHTS in request]


def test_weights_that_are_not_what_the_hub_states_are_removed(hub: HubServer) -> None:
    hub.repositories[NAME] = Repository(tiny_model.files(), stated={WEIGHTS: "0" * 64})
    with pytest.raises(ModelError, match=r"model\.safetensors came with SHA-256 .* but the Hub states 000000000000"):
        pull_it()
    hub.repositories[NAME] = Repository(tiny_model.files())
    hub.requests.clear()
    assert WEIGHTS in pull_it()
    # what had come already is not fetched again
    assert {request.rpartition("/")[2] for request in hub.requests[1:]} == {WEIGHTS}


def pull_it(name: str = NAME) -> dict[str, Any]:
    model = HubModel.parse(name)
    assert model is not None
    return dict(pull(model, lambda _: None).files)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acme/nonesuch", "model acme/nonesuch is not on the Hub, or private"),
        (f"{NAME}@v9", f"model {NAME} has no revision 'v9'"),
    ],
)
def test_what_is_not_there_is_named(hub: HubServer, name: str, message: str) -> None:
    hub.repositories[NAME] = Repository(tiny_model.files())
    with pytest.raises(ModelError, match=message):
        pull_it(name)


@pytest.mark.usefixtures("hub")
def test_a_hub_out_of_reach_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(ModelError, match=r"can't be pulled from http://127\.0\.0\.1:1 .* check the network"):
        pull_it()


@pytest.mark.parametrize("name", ["embedded", "./folder", "a/b/c", "../up", "a/..", "a/b@../x", "a b/c", "/abs/path"])
def test_what_is_no_id_of_the_hub_is_not_pulled(hub: HubServer, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "pull", "--model", name]) == 2
    assert "takes the id of a model on the Hub" in capsys.readouterr().err
    assert hub.requests == []


def test_a_cache_that_cannot_be_written_is_named(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hub.repositories[NAME] = Repository(tiny_model.files())
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="set GROUNDWIRE_CACHE_DIR"):
        pull_it()
