"""The jobs of a chaos run, and what has to become of each."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

    from groundwire.client import Keys

POISON_SHARE = 0.01
KILLER_SHARE = 0.002
DUPLICATE_SHARE = 0.01
GARBAGE_SHARE = 0.005

RETRY_S = 0.05


class Fate(StrEnum):
    """What has to become of an entry."""

    SCORED = "scored"
    POISON = "poison"
    KILLER = "killer"
    DUPLICATE = "duplicate"
    GARBAGE = "garbage"


@dataclass(frozen=True)
class Planned:
    """An entry to submit.

    Attributes:
        job_id: The job's id; of garbage a name for it.
        fate: What has to become of it.
        fields: The entry.
    """

    job_id: str
    fate: Fate
    fields: Mapping[bytes | str, bytes | str]


def plan(jobs: int, random: Random) -> Iterator[Planned]:
    """Yield so many jobs, with poison and killers among them, and duplicates and garbage besides."""
    for number in range(jobs):
        job_id = f"job-{number}"
        draw = random.random()
        if draw < POISON_SHARE:
            yield Planned(job_id, Fate.POISON, _entry(job_id, completion_tokens="many"))
        elif draw < POISON_SHARE + KILLER_SHARE:
            yield Planned(job_id, Fate.KILLER, _entry(job_id, response_text="kill"))
        else:
            scored = Planned(job_id, Fate.SCORED, _entry(job_id))
            yield scored
            if random.random() < DUPLICATE_SHARE:
                yield Planned(job_id, Fate.DUPLICATE, scored.fields)
        if random.random() < GARBAGE_SHARE:
            yield Planned(f"garbage-{number}", Fate.GARBAGE, {b"\xff\xfe": random.randbytes(20), "v": "1"})


def submit(server: redis.Redis, keys: Keys, entries: Iterator[Planned], per_second: float) -> Iterator[Planned]:
    """Put entries onto the streams and yield each once the server has said that it has it.

    The ids are chosen here, so that an entry whose reply got lost can't be added twice: the server refuses its id then.
    """
    first = time.time_ns() // 1_000_000
    begun = time.monotonic()
    for number, planned in enumerate(entries):
        stream = keys.stream("jobs:backfill" if number % 5 == 0 else "jobs")
        while True:
            try:
                server.xadd(stream, dict(planned.fields), id=f"{first + number}-1")
            except (redis.ConnectionError, redis.TimeoutError):
                time.sleep(RETRY_S)
            except redis.ResponseError as error:
                if "equal or smaller" not in str(error):
                    raise
                break
            else:
                break
        yield planned
        time.sleep(max(0.0, begun + number / per_second - time.monotonic()))


def _entry(job_id: str, **changed: str) -> Mapping[bytes | str, bytes | str]:
    fields = {"v": 1, "job_id": job_id, "trace_id": job_id, "span_id": "s", "response_text": "hello"}
    return {"v": "1", "payload": json.dumps(fields | changed)}
