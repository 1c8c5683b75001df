"""Remembers what the NLI model said of a pair, so that the same pair in a later job costs nothing."""

from __future__ import annotations

import hashlib
import logging
import secrets
import struct
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groundwire.models.head import LABELS
from groundwire.schemas.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Pairs = Sequence[tuple[str, str]]

DIGEST_BYTES = 16
"""Of a key's digest: two different pairs meet in one among 2^64."""

SECRET_BYTES = 16
"""Of the key of the digests, which nobody knows: no text can be looked for that has another one's digest."""

_log = logging.getLogger(__name__)


class Answers(NamedTuple):
    """What a model says of some pairs.

    Attributes:
        probabilities: float32 [pairs, 3], columns entailment, neutral, contradiction.
        remembered: How many of the pairs were not computed for it, as they were known or came twice.
    """

    probabilities: NDArray[np.float32]
    remembered: int


class PairCache:
    """The pairs that were asked for last, with their probabilities. It holds numbers and digests, never a text.

    What it gives is to the last bit what the model gave. It belongs to one process and one thread.

    Attributes:
        asked: Pairs asked for so far.
        remembered: Those of them that were not computed.

    Args:
        capacity: Most pairs to keep; the one that was asked for longest ago goes first. 0 keeps none, and then every
            pair of a call is computed, those that come twice too.
        model_sha256: Hash of the model whose answers they are.

    Raises:
        SettingsError: The capacity is negative.
    """

    def __init__(self, capacity: int, model_sha256: str) -> None:
        if capacity < 0:
            raise SettingsError(f"a cache of {capacity} pairs can't be made: it keeps 0 or more")
        self.asked = 0
        self.remembered = 0
        self._capacity = capacity
        self._model = model_sha256.encode()
        self._secret = secrets.token_bytes(SECRET_BYTES)
        self._rows: OrderedDict[bytes, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def answer(self, pairs: Pairs, temperature: float, compute: Callable[[Pairs], NDArray[np.float32]]) -> Answers:
        """Give the probabilities of pairs, from memory as far as they are there.

        Args:
            pairs: (premise, hypothesis) pairs.
            temperature: What the logits are divided by; another one makes another answer.
            compute: Gives the probabilities [pairs, 3] of the pairs that are new.
        """
        if not self._capacity:
            self.asked += len(pairs)
            return Answers(compute(pairs), 0)
        keys = [self._key(pair, temperature) for pair in pairs]
        known = {key: row for key in keys if (row := self._recall(key)) is not None}
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        computed = compute(list(new.values())) if new else np.empty((0, len(LABELS)), np.float32)
        for key, row in zip(new, computed, strict=True):
            known[key] = row
            self._keep(key, row)
        self.asked += len(pairs)
        self.remembered += len(pairs) - len(new)
        _log.debug("pair cache: %d of %d pairs remembered so far, %d kept", self.remembered, self.asked, len(self))
        rows = [known[key] for key in keys]
        return Answers(np.array(rows, np.float32).reshape(len(rows), len(LABELS)), len(pairs) - len(new))

    def _recall(self, key: bytes) -> NDArray[np.float32] | None:
        row = self._rows.get(key)
        if row is None:
            return None
        self._rows.move_to_end(key)
        return np.frombuffer(row, np.float32)

    def _keep(self, key: bytes, row: NDArray[np.float32]) -> None:
        self._rows[key] = row.tobytes()
        if len(self._rows) > self._capacity:
            self._rows.popitem(last=False)

    def _key(self, pair: tuple[str, str], temperature: float) -> bytes:
        digest = hashlib.blake2b(self._model, key=self._secret, digest_size=DIGEST_BYTES)
        digest.update(struct.pack("<d", temperature))
        for text in pair:
            encoded = text.encode("utf-8", "surrogatepass")
            # with its length before it no two pairs of texts run together into the same bytes
            digest.update(struct.pack("<Q", len(encoded)))
            digest.update(encoded)
        return digest.digest()
