from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groundwire.models import NliEngine, SpacySplitter, build_embedded

if TYPE_CHECKING:
    from groundwire.models import ModelFiles


@pytest.fixture(scope="session")
def embedded_files() -> ModelFiles:
    # the user's own cache, so that the model is built once and not with every run of the tests
    return build_embedded()


@pytest.fixture(scope="session")
def engine(embedded_files: ModelFiles) -> NliEngine:
    return NliEngine.load(embedded_files, threads=1)


@pytest.fixture(scope="session")
def exact_engine(tmp_path_factory: pytest.TempPathFactory) -> NliEngine:
    return NliEngine.load(build_embedded("fp32", tmp_path_factory.mktemp("fp32")), threads=1)


@pytest.fixture(scope="session")
def spacy_splitter() -> SpacySplitter:
    return SpacySplitter.load()


@pytest.fixture(scope="session")
def labelled_pairs() -> list[tuple[tuple[str, str], str]]:
    lines = (Path(__file__).parent / "data" / "nli_pairs.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [((row["premise"], row["hypothesis"]), row["label"]) for row in rows]
