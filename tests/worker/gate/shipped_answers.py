"""A hundred good answers out of the benchmark's documents, other answers that are as good, and ways to spoil some."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.answers.build import load_bank

if TYPE_CHECKING:
    from collections.abc import Callable

Row = dict[str, Any]

ROWS = 100
CLAIMS = 3
ABSTENTION = "I am sorry, but I could not find any information about that in the documents that I was given."


def good_answers(seed: int = 1) -> list[Row]:
    """A hundred rows: a document between two others, and three claims that it supports; the seed chooses the claims."""
    rng, bank = Random(seed), load_bank()  # noqa: S311 - a reproducible choice, not a secret
    rows = []
    for number in range(ROWS):
        place = number % len(bank)
        documents = [bank[place - 1], bank[place], bank[place - 2]]
        rows.append(
            {
                "id": f"{bank[place]['id']}-{number}",
                "query": bank[place]["question"],
                "contexts": [" ".join(document["sentences"]) for document in documents],
                "answer": " ".join(rng.sample(bank[place]["supported"], CLAIMS)),
            }
        )
    return rows


def _swapped(rows: list[Row], number: int) -> str:
    """The answer to another question."""
    answer: str = rows[(number + 7) % len(rows)]["answer"]
    return answer


def _contradicting(rows: list[Row], number: int) -> str:
    """What the document contradicts."""
    document = next(document for document in load_bank() if rows[number]["query"] == document["question"])
    return " ".join(document["contradicted"])


def _other_numbers(rows: list[Row], number: int) -> str:
    """The same answer with other numbers."""
    return re.sub(r"\d+", lambda found: str(int(found.group()) * 3 + 1), rows[number]["answer"])


SPOILED: dict[str, Callable[[list[Row], int], str]] = {
    "swapped": _swapped,
    "contradicting": _contradicting,
    "empty": lambda _rows, _number: "",
    "abstaining": lambda _rows, _number: ABSTENTION,
    "cut short": lambda rows, number: " ".join(rows[number]["answer"].split()[:6]),
    "backwards": lambda rows, number: rows[number]["answer"][::-1],
}
"""Ways to spoil an answer as a whole."""

SPOILED_IN_PART: dict[str, Callable[[list[Row], int], str]] = {
    "other numbers": _other_numbers,
    "words shuffled": lambda rows, number: " ".join(
        Random(number).sample(rows[number]["answer"].split(), len(rows[number]["answer"].split()))  # noqa: S311
    ),
}
"""Ways that leave some of its claims, or what a model takes for them, as they were."""


def spoil(rows: list[Row], way: str, share: float, seed: int) -> list[Row]:
    """The rows, with that share of their answers spoiled; the seed chooses which."""
    change = (SPOILED | SPOILED_IN_PART)[way]
    chosen = set(Random(seed).sample(range(len(rows)), round(share * len(rows))))  # noqa: S311
    return [row | {"answer": change(rows, number)} if number in chosen else row for number, row in enumerate(rows)]
