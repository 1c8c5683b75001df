"""From pairs of texts to rows of token ids; a pair that is too long for the model becomes several rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CLS, SEP = 1, 2
"""Control tokens of the DeBERTa-v3 vocabulary: [CLS] premise [SEP] hypothesis [SEP]."""

CONTROL_TOKENS = 3
"""How many of them a pair has."""

OVERLAP_DIVISOR = 4
"""Neighbouring windows share a quarter of their tokens, so that a statement cut by one stands whole in the next."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Row:
    """One input of the model.

    Attributes:
        pair: Which pair it belongs to.
        window: Which window of that pair's hypothesis it holds.
        ids: The token ids, control tokens included.
    """

    pair: int
    window: int
    ids: list[int]


def replace_lone_surrogates(text: str) -> str:
    """Make a text encodable as UTF-8, keeping its length: each lone surrogate becomes U+FFFD."""
    return _LONE_SURROGATE.sub(_REPLACEMENT, text)


def windows(ids: list[int], size: int) -> Iterator[list[int]]:
    """Cut token ids into overlapping windows of at most `size`; what fits, and no ids at all, is one window."""
    step = max(1, size - size // OVERLAP_DIVISOR)
    for start in range(0, max(1, len(ids) - size + step), step):
        yield ids[start : start + size]


class PairEncoder:
    """A tokenizer that treats everything in a text as text, control tokens spelt out in it included."""

    def __init__(self, path_tokenizer: Path, max_tokens: int) -> None:
        """Load a tokenizer.json without truncation, padding or added tokens.

        Args:
            path_tokenizer: The file, as `groundwire.models.build_cache.plain_tokenizer` writes it.
            max_tokens: Most tokens of a row, control tokens included.

        Raises:
            ModelError: The file is missing or no tokenizer, or the package tokenizers is missing.
        """
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415 - importing groundwire.models stays light
        except ImportError as error:
            raise ModelError("scoring needs the package tokenizers: pip install 'groundwire[worker]'") from error
        try:
            self._tokenizer = Tokenizer.from_file(str(path_tokenizer))
        except Exception as error:  # tokenizers raises no narrower class
            raise ModelError(f"{path_tokenizer}: can't be read as a tokenizer ({error})") from error
        self._room = max_tokens - CONTROL_TOKENS

    def text_ids(self, text: str) -> list[int]:
        """Give the token ids of a text, without control tokens."""
        ids: list[int] = self._tokenizer.encode(replace_lone_surrogates(text), add_special_tokens=False).ids
        return ids

    def rows(self, pairs: Sequence[tuple[str, str]]) -> list[Row]:
        """Give the rows of all (premise, hypothesis) pairs, in the order of the pairs.

        A pair that doesn't fit is never cut short. A hypothesis that leaves the premise less than half the room is
        cut into windows, and the premise into windows of the room that is left beside each of them.
        """
        # a job holds each answer sentence against several premises and each premise against several sentences
        known = {text: self.text_ids(text) for text in {text for pair in pairs for text in pair}}
        return [
            Row(index, window, [CLS, *premise_part, SEP, *hypothesis_part, SEP])
            for index, (premise, hypothesis) in enumerate(pairs)
            for window, hypothesis_part in enumerate(self._hypothesis_windows(known[premise], known[hypothesis]))
            for premise_part in windows(known[premise], self._room - len(hypothesis_part))
        ]

    def _hypothesis_windows(self, premise: list[int], hypothesis: list[int]) -> Iterator[list[int]]:
        return windows(hypothesis, max(self._room // 2, self._room - len(premise)))
