"""One hundred answers with their contexts, and for every sentence whether the context supports it.

`bank.jsonl` holds thirty documents about invented companies, places and products, written for this benchmark. A line is
a document: `sentences` (its text), `question`, and claims about it, one sentence each: `supported` (paraphrases, with
the positions of the sentences they rest on in `evidence`), `contradicted` (a number, name, condition or negation is
wrong) and `absent` (plausible, but not in the text). An answer is a choice of claims about one document in random
order; its context is that document among passages of others. All of it follows from the seed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypedDict, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")
ANSWERS = 100
SEED = 20_240_611
SHORTEST, LONGEST = 100, 3000
"""Words of the contexts; the steps between are geometric, so that half of them are below 550 words."""

SHAPES = {2: (2, 1, 0), 3: (3, 2, 1, 1), 4: (4, 3, 2, 2, 1), 5: (5, 4, 3, 2), 6: (6, 5, 4, 3)}
"""How many of an answer's sentences are supported, by their number; twenty shapes, all equally frequent, in which 54 of
82 sentences are supported."""

OTHERS_FROM = 160
"""A context of fewer words is one passage: with less there is no room for a second one."""

SMALLEST_PASSAGE = 60
"""Words; what remains below it is left out rather than filled with a scrap."""


class Document(TypedDict):
    """One line of `bank.jsonl`."""

    id: str
    topic: str
    question: str
    sentences: list[str]
    supported: list[str]
    evidence: list[list[int]]
    contradicted: list[str]
    absent: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to score.

    Attributes:
        id: The document's id and a number.
        question: What was asked.
        contexts: The retrieved passages, in no order of relevance.
        response: The answer, one sentence per label.
        labels: For each sentence whether the passages support it.
        context_words: Words of all passages, as white space separates them.
    """

    id: str
    question: str
    contexts: tuple[str, ...]
    response: str
    labels: tuple[bool, ...]
    context_words: int


def load_bank() -> list[Document]:
    """Read the documents and their claims."""
    lines = Path(__file__).with_name("bank.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def load_answers() -> list[Answer]:
    """Compose the answers, from the shortest context to the longest; the same ones each time."""
    rng = Random(SEED)  # noqa: S311  a reproducible choice, not a secret
    bank = load_bank()
    rounds = -(-ANSWERS // len(bank))
    documents = [document for _ in range(rounds) for document in _shuffled(rng, bank)][:ANSWERS]
    shapes = [(sentences, right) for sentences, rights in SHAPES.items() for right in rights]
    shapes = _shuffled(rng, shapes * (ANSWERS // len(shapes)))
    answers = []
    for number, document in enumerate(documents):
        words = round(SHORTEST * (LONGEST / SHORTEST) ** (number / (ANSWERS - 1)))
        opening = _opening(document["sentences"], words if words < OTHERS_FROM else words - SMALLEST_PASSAGE)
        supported = [
            claim
            for claim, evidence in zip(document["supported"], document["evidence"], strict=True)
            if max(evidence) < len(opening)
        ]
        shape = next(shape for shape in shapes if shape[1] <= len(supported))
        shapes.remove(shape)
        claims = _claims(rng, document, supported, shape)
        others = _distractors(rng, [other for other in bank if other is not document], words - _words(opening))
        passages = [*_passages(rng, opening), *others]
        answers.append(
            Answer(
                id=f"{document['id']}-{number}",
                question=document["question"],
                contexts=tuple(" ".join(passage) for passage in _shuffled(rng, passages)),
                response=" ".join(claim for claim, _ in claims),
                labels=tuple(is_supported for _, is_supported in claims),
                context_words=sum(map(_words, passages)),
            )
        )
    return answers


def _claims(rng: Random, document: Document, supported: list[str], shape: tuple[int, int]) -> list[tuple[str, bool]]:
    right = _shuffled(rng, supported)[: shape[1]]
    wrong = _shuffled(rng, document["contradicted"] + document["absent"])[: shape[0] - shape[1]]
    return _shuffled(rng, [*((claim, True) for claim in right), *((claim, False) for claim in wrong)])


def _distractors(rng: Random, others: list[Document], words: int) -> Iterator[list[str]]:
    """Give passages of other documents that together have about so many words; the last one is cut to fit."""
    for passage in _shuffled(rng, [part for other in others for part in _passages(rng, other["sentences"])]):
        if words < SMALLEST_PASSAGE:
            return
        fitting = _opening(passage, words)
        words -= _words(fitting)
        yield fitting


def _passages(rng: Random, sentences: list[str]) -> list[list[str]]:
    """Leave a text whole or halve it, so that passages have about 100 to 200 words."""
    half = len(_opening(sentences, _words(sentences) // 2))
    is_halved = _words(sentences) >= OTHERS_FROM and rng.random() < 0.5  # noqa: PLR2004  as often as not
    return [sentences[:half], sentences[half:]] if is_halved else [sentences]


def _opening(sentences: list[str], words: int) -> list[str]:
    """Give the first sentences, as many as come nearest to so many words."""
    lengths = list(accumulate(len(sentence.split()) for sentence in sentences))
    return sentences[: min(range(len(lengths)), key=lambda last: abs(lengths[last] - words)) + 1]


def _words(sentences: Sequence[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def _shuffled(rng: Random, items: Sequence[T]) -> list[T]:
    """Shuffle by `random()` alone, the one method that Python promises to keep as it is from version to version."""
    return sorted(items, key=lambda _: rng.random())
