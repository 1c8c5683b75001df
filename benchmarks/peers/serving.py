"""The process of a contender: reads commands from standard input, a JSON object a line, and answers with a line each.

Every contender, Groundwire too, runs in processes of its own that are told what to do in the same way. For both virtual
environments, so nothing but the standard library is imported here.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

from peers.pair_texts import pair_texts

ANSWERS_VARIABLE = "GROUNDWIRE_BENCH_ANSWERS"
"""Names the file descriptor to answer on."""


class PairScorer(Protocol):
    """Scores pairs of texts."""

    def count(self, premise: str, hypothesis: str) -> int:
        """Count the tokens of a pair as this scorer reads it, control tokens included."""
        ...

    def prepare(self, texts: list[tuple[str, str]], batch: int) -> None:
        """Take the pairs for the next runs; what is done here is not measured."""
        ...

    def run(self) -> None:
        """Score them; this is measured."""
        ...


def serve(commands: Mapping[str, Callable[..., Any]]) -> None:
    """Answer commands until standard input ends.

    Args:
        commands: What to call by the command's name, with its other fields as keywords; gives what JSON can hold.
    """
    answers = os.fdopen(int(os.environ[ANSWERS_VARIABLE]), "w")
    _answer(answers, "ready")
    for line in sys.stdin:
        fields: dict[str, Any] = json.loads(line)
        _answer(answers, commands[fields.pop("do")](**fields))


def serve_pairs(scorer: PairScorer) -> None:
    """Answer the commands `prepare` and `run` until standard input ends.

    Raises:
        ValueError: The scorer reads another number of tokens than it was to be measured with.
    """

    def prepare(length: int, batch: int, pairs: int, seed: int) -> None:
        texts = pair_texts(length, pairs, seed)
        counted = scorer.count(*texts[0])
        if counted != length:
            raise ValueError(f"a pair has {counted} tokens instead of {length}")
        scorer.prepare(texts, batch)

    serve({"prepare": prepare, "run": scorer.run})


def _answer(answers: Any, value: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
    answers.write(json.dumps(value) + "\n")
    answers.flush()
