"""Whole answers with known labels: Groundwire as a worker runs it, and the pipeline that holds all against all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from answers.build import load_answers
from peers.crew import Crew, Layout

from groundwire.models import RuleSplitter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from answers.build import Answer

WHOLE_WORDS, PIECE_WORDS = 512, 400
"""A context of up to so many words is one premise; a longer one is cut into pieces of at most so many."""

QUARTER = 4


@dataclass(frozen=True, slots=True)
class Judged:
    """A set of answers, judged.

    Attributes:
        answers: How many.
        sentences: Their sentences together.
        right: Sentences whose verdict, entailed or not, is the known label.
        seconds: Wall time of all of it on the whole machine.
    """

    answers: int
    sentences: int
    right: int
    seconds: float

    def __add__(self, other: Judged) -> Judged:
        return Judged(
            self.answers + other.answers,
            self.sentences + other.sentences,
            self.right + other.right,
            self.seconds + other.seconds,
        )

    @property
    def agreement(self) -> float:
        """Share of the sentences that are right."""
        return self.right / self.sentences


@dataclass(frozen=True, slots=True)
class Side:
    """One side's figures.

    Attributes:
        layout: How it was run.
        shortest: The quarter of the compared answers with the shortest contexts.
        rest: The others.
    """

    layout: Layout
    shortest: Judged
    rest: Judged

    @property
    def total(self) -> Judged:
        """All compared answers."""
        return self.shortest + self.rest


def compared_answers(number: int) -> list[Answer]:
    """Choose answers evenly over the lengths of their contexts, shortest first."""
    every = load_answers()
    return [every[(2 * place + 1) * len(every) // (2 * number)] for place in range(number)]


def judge_compared(command: Sequence[str], layout: Layout, log: Path, answers: Sequence[Answer]) -> Side:
    """Have one side judge the compared answers, the shortest quarter by itself.

    Raises:
        CrewError: Its process failed.
    """
    shortest = len(answers) // QUARTER
    with Crew(command, layout, log) as crew:
        _warm(crew, answers)
        return Side(layout, _judge(crew, answers[:shortest]), _judge(crew, answers[shortest:]))


def judge_all(command: Sequence[str], layout: Layout, log: Path) -> Judged:
    """Have one side judge all hundred answers.

    Raises:
        CrewError: Its process failed.
    """
    answers = load_answers()
    with Crew(command, layout, log) as crew:
        _warm(crew, answers)
        return _judge(crew, answers)


def _warm(crew: Crew, answers: Sequence[Answer]) -> None:
    """Have every process judge an answer that isn't measured: the first one loads what later ones find loaded."""
    measured = {answer.id for answer in answers}
    spare = next((answer for answer in load_answers() if answer.id not in measured), answers[0])
    crew.ask([_command(spare)] * crew.size)


def _judge(crew: Crew, answers: Sequence[Answer]) -> Judged:
    commands = [_command(answer) for answer in answers]
    start = time.perf_counter()
    verdicts: list[list[bool]] = crew.deal(commands)
    seconds = time.perf_counter() - start
    pairs = [
        pair for answer, found in zip(answers, verdicts, strict=True) for pair in zip(answer.labels, found, strict=True)
    ]
    return Judged(len(answers), len(pairs), sum(label == found for label, found in pairs), seconds)


def _command(answer: Answer) -> dict[str, Any]:
    """Give what both sides need: the texts as they are, and as sentences and pieces."""
    words = " ".join(answer.contexts).split()
    size = WHOLE_WORDS if len(words) <= WHOLE_WORDS else PIECE_WORDS
    return {
        "do": "judge",
        "name": answer.id,
        "response": answer.response,
        "contexts": list(answer.contexts),
        "sentences": [answer.response[span.start : span.end] for span in RuleSplitter().split(answer.response)],
        "pieces": [" ".join(words[start : start + size]) for start in range(0, len(words), size)],
    }
