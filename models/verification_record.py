"""What was measured when a model was built, as it is kept beside the model."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from groundwire.models.verification import Comparison

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AS_GIVEN = "as given"
"""Precision of a model that came as an ONNX graph: there is no fp32 of it to compare with."""

PROBABILITY_DIGITS = 6
"""Decimals that are stored: float32 has no more to say."""


@dataclass(frozen=True)
class Verification:
    """What was measured when a model was built.

    Attributes:
        precision: `int8`; `mixed`, with some layers in fp32; `fp32`, where int8 failed; or AS_GIVEN.
        fp32_layers: The layers that are in fp32 where it is mixed.
        comparison: The model against its own fp32; None if it was taken as given.
        int8: All of it in int8 against fp32; None if it was taken as given.
        accuracy: Share of right labels on the pairs.
        reference: Probabilities [pairs, 3] of fp32, or of the graph that was given, on the machine that built it.
        pairs: SHA-256 of the pairs' file.
    """

    precision: str
    fp32_layers: tuple[int, ...]
    comparison: Comparison | None
    int8: Comparison | None
    accuracy: float
    reference: list[list[float]]
    pairs: str

    def serialise(self) -> bytes:
        """Write it as JSON."""
        return json.dumps(asdict(self), indent=1).encode()

    @classmethod
    def parse(cls, content: bytes) -> Verification:
        """Read what `serialise` wrote.

        Raises:
            ValueError, KeyError, TypeError: It is something else, or of another version.
        """
        record: dict[str, Any] = json.loads(content)
        return cls(
            record["precision"],
            tuple(record["fp32_layers"]),
            _comparison(record["comparison"]),
            _comparison(record["int8"]),
            record["accuracy"],
            record["reference"],
            record["pairs"],
        )


def _comparison(value: dict[str, float] | None) -> Comparison | None:
    return None if value is None else Comparison(**value)


def rows_of(probabilities: NDArray[np.float32]) -> list[list[float]]:
    """Give probabilities [pairs, 3] as they are stored."""
    return [[round(float(value), PROBABILITY_DIGITS) for value in row] for row in probabilities]
