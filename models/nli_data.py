"""Labelled NLI pairs for fitting and measuring a head: which sets, where they come from, how they are read.

A set is a gzip-compressed file of JSON lines with `premise`, `hypothesis`, `label` and `split`. None of it comes with
Groundwire.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groundwire.models.head import LABELS
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True)
class PairSet:
    """One split of a set of labelled pairs.

    Attributes:
        name: Its name in messages and in the head's record.
        file: Name of its file.
        split: Which rows of the file; None for all.
        source: Repository on GitHub that it comes from.
        licence: SPDX identifier.
    """

    name: str
    file: str
    split: str | None
    source: str
    licence: str

    def read(self, folder: Path) -> LabelledPairs:
        """Read the pairs.

        Raises:
            ModelError: The file is missing or malformed, or has no such rows.
        """
        path = folder / self.file
        try:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                rows = [json.loads(line) for line in lines]
            # a few SNLI pairs have no label that annotators agreed on
            kept = [row for row in rows if row["label"] in LABELS and self.split in (None, row["split"])]
            pairs = [(row["premise"], row["hypothesis"]) for row in kept]
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{path}: can't be read as labelled pairs ({type(error).__name__}: {error})") from error
        if not pairs:
            raise ModelError(f"{path}: has no labelled pairs of split {self.split}")
        return LabelledPairs(pairs, np.array([LABELS.index(row["label"]) for row in kept]))


@dataclass(frozen=True)
class LabelledPairs:
    """Pairs of premise and hypothesis, and for each the index of its label in LABELS."""

    pairs: list[tuple[str, str]]
    labels: NDArray[np.int64]


SNLI_DEV = PairSet("snli dev", "snli.jsonl.gz", "dev", "OanaMariaCamburu/e-SNLI", "CC-BY-SA-4.0")
SNLI_TEST = PairSet("snli test", "snli.jsonl.gz", "test", "OanaMariaCamburu/e-SNLI", "CC-BY-SA-4.0")
COUNTERFACTUAL_TRAIN = PairSet(
    "counterfactual train",
    "counterfactual.jsonl.gz",
    "train",
    "acmi-lab/counterfactually-augmented-data",
    "Apache-2.0",
)
LEXICAL = PairSet("lexical", "lexical.jsonl.gz", None, "BIU-NLP/Breaking_NLI", "CC-BY-SA-4.0")
CONJUNCTION = PairSet("conjunction", "conjunction.jsonl.gz", None, "swarnaHub/ConjNLI", "MIT")
