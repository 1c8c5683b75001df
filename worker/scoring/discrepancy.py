"""What a check of words found at odds between a claim and its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.schemas.names import DiscrepancyKind


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A point in which a claim is refuted by its evidence.

    The two texts are words of the answer and of the context, for results alone: the representation leaves them out, so
    that no log line or error message can hold them.

    Attributes:
        kind: What is at odds.
        claimed: The words of the claim, as they stand there.
        found: The words of the evidence that stand in their place.
    """

    kind: DiscrepancyKind
    claimed: str = field(repr=False)
    found: str = field(repr=False)
