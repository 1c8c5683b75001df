"""What became of the jobs of a chaos run, held against what had to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.client.connection import read_entries
from groundwire.schemas import Result
from tests.chaos.load import Fate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import redis

    from groundwire.client import Keys


@dataclass(frozen=True)
class Ledger:
    """Numbers of jobs.

    Attributes:
        submitted: Jobs that the server had said it has, duplicates and garbage not counted.
        results: Those that have a result that is no error.
        dead: Those that are dead letters.
        lost: Job ids without a result.
        doubled: Job ids with more than one result, or more than one dead letter.
        misjudged: Job ids with a result where there had to be a dead letter, or the other way round.
    """

    submitted: int
    results: int
    dead: int
    lost: Collection[str]
    doubled: Collection[str]
    misjudged: Collection[str]

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, doubled or misjudged."""
        return not (self.lost or self.doubled or self.misjudged)

    def __str__(self) -> str:
        names = [*self.lost, *self.doubled, *self.misjudged][:10]
        numbers = f"lost {len(self.lost)}, doubled {len(self.doubled)}, misjudged {len(self.misjudged)}"
        counts = f"submitted {self.submitted}, results {self.results}, dead {self.dead}"
        return f"{counts}, {numbers}{': ' if names else ''}{' '.join(names)}"


def settle(server: redis.Redis, keys: Keys, submitted: Mapping[str, Fate]) -> Ledger:
    """Read the streams of results and of dead letters, and hold them against what was submitted.

    Args:
        server: Connection to the server.
        keys: Names of its keys.
        submitted: Job id to what has to become of it.
    """
    good: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for _, fields in read_entries(server.xrange(keys.results)):
        result = Result.model_validate_json(fields["payload"])
        (good if all(metric.error is None for metric in result.metrics.values()) else failed)[result.job_id] += 1
    dead = Counter(
        fields["job_id"].decode() for _, fields in read_entries(server.xrange(keys.dead)) if "job_id" in fields
    )
    every = good + failed
    must_die = {job_id for job_id, fate in submitted.items() if fate in (Fate.POISON, Fate.KILLER)}
    return Ledger(
        submitted=len(submitted),
        results=len(good),
        dead=len(dead),
        lost=sorted(submitted.keys() - every.keys()),
        doubled=sorted(job_id for job_id in every if every[job_id] > 1 or dead[job_id] > 1),
        misjudged=sorted((must_die ^ dead.keys()) | (must_die & good.keys()) | (every.keys() - submitted.keys())),
    )
