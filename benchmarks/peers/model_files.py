"""Groundwire's embedded model in the form that the peers read, and how near each one's answers are to torch's."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from answers.build import load_bank
from peers.crew import FOLDER
from peers.environment import REQUIREMENTS, PeersMissingError

from groundwire.models.embedded import CONFIG, read_tokenizer, read_weights
from groundwire.models.head import load_head

if TYPE_CHECKING:
    from numpy.typing import NDArray

REPORT = "report.json"

CHECKED_EVERY = 9
"""Of the claims about the documents of the labelled answers every ninth is a pair to compare on: 34 of 300, some of
each kind, as a document has ten claims."""


@dataclass(frozen=True, slots=True)
class PeerModel:
    """A checkpoint with its exports.

    Attributes:
        folder: Where it lies.
        pairs: (premise, hypothesis) on which logits were compared.
        labels: The column of torch's label for each of them.
        fp32_difference: Largest difference of a logit of the fp32 export from torch's.
        int8_setting: The way of quantising that was chosen.
        int8_agreement: Share of the pairs on which the int8 export's label is torch's.
        tried: All ways of quantising, with their pairs per second and agreement, as a line of text each.
    """

    folder: Path
    pairs: list[tuple[str, str]]
    labels: list[int]
    fp32_difference: float
    int8_setting: str
    int8_agreement: float
    tried: list[str]


def make_peer_model(python: Path, folder: Path, threads: int) -> PeerModel:
    """Write the weights and have the peers' environment make checkpoint, fp32 export and int8 export of them.

    What an earlier run made of the same weights, packages and code is used again: making it takes a minute or two.

    Args:
        python: The peers' Python.
        folder: Where everything goes.
        threads: Threads for trying the ways of quantising.

    Raises:
        PeersMissingError: An export can't be made or is not the same model.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights, head = read_weights(), load_head()
    weights |= {"classifier.weight": head.weight.T, "classifier.bias": head.bias}
    pairs = _pairs()
    source = {"shape": _shape(), "labels": CONFIG.labels, "pairs": pairs, "threads": threads}
    key = _key(weights, json.dumps(source))
    report_file = folder / REPORT
    if not report_file.exists() or json.loads(report_file.read_text(encoding="utf-8"))["key"] != key:
        report_file.unlink(missing_ok=True)  # an interrupted run must not leave one that belongs to other files
        contiguous = {name: np.ascontiguousarray(value) for name, value in weights.items()}
        np.savez(folder / "weights.npz", **contiguous)  # type: ignore[arg-type]  # the stub takes names for options
        tokenizer = read_tokenizer() | {"truncation": None, "padding": None}
        (folder / "source-tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
        (folder / "source.json").write_text(json.dumps(source | {"key": key}), encoding="utf-8")
        command = [str(python), "-m", "peers.checkpoint", str(folder)]
        done = subprocess.run(command, check=False, cwd=FOLDER, capture_output=True, text=True)
        if done.returncode:
            raise PeersMissingError(f"no checkpoint: {done.stderr.strip().splitlines()[-1]}")
    report: dict[str, Any] = json.loads(report_file.read_text(encoding="utf-8"))
    del report["key"]
    return PeerModel(folder=folder, pairs=pairs, **report)


def _key(weights: dict[str, NDArray[np.float32]], source: str) -> str:
    """Hash what the exports depend on: the weights, the shape, the packages and the code that makes them."""
    digest = hashlib.sha256(source.encode())
    for name in sorted(weights):
        digest.update(name.encode() + np.ascontiguousarray(weights[name]).tobytes())
    for path in (REQUIREMENTS, Path(__file__), FOLDER / "peers" / "checkpoint.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _pairs() -> list[tuple[str, str]]:
    every = [
        (" ".join(document["sentences"]), claim)
        for document in load_bank()
        for claim in (*document["supported"], *document["contradicted"], *document["absent"])
    ]
    return every[::CHECKED_EVERY]


def _shape() -> dict[str, Any]:
    """Name the encoder's shape as config.json does."""
    return {
        "vocab_size": CONFIG.vocabulary,
        "hidden_size": CONFIG.hidden,
        "num_hidden_layers": CONFIG.layers,
        "num_attention_heads": CONFIG.heads,
        "intermediate_size": CONFIG.intermediate,
    }
