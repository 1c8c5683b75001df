from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from benchmarks.answers.build import load_answers, load_bank
from groundwire.models import RuleSplitter, SpacySplitter

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.answers.build import Document
    from groundwire.models.sentences import Splitter

ANSWERS = load_answers()
BANK = load_bank()


def claims_of(document: Document) -> list[str]:
    return [*document["supported"], *document["contradicted"], *document["absent"]]


def test_there_are_a_hundred_different_answers() -> None:
    assert len({answer.id for answer in ANSWERS}) == 100
    assert len({(answer.response, answer.contexts) for answer in ANSWERS}) == 100


def test_the_answers_are_the_same_each_time() -> None:
    assert load_answers() == ANSWERS


def test_contexts_cover_100_to_3000_words_evenly() -> None:
    lengths = sorted(answer.context_words for answer in ANSWERS)
    assert 90 <= lengths[0] <= 110
    assert 2950 <= lengths[-1] <= 3050
    assert max(longer / shorter for shorter, longer in pairwise(lengths)) < 1.2


def test_context_words_count_the_contexts() -> None:
    assert all(len(" ".join(answer.contexts).split()) == answer.context_words for answer in ANSWERS)


def test_every_document_is_asked_about_three_times_or_more() -> None:
    asked = Counter(answer.question for answer in ANSWERS)
    assert set(asked) == {document["question"] for document in BANK}
    assert min(asked.values()) >= 3


def test_two_thirds_of_the_sentences_are_supported() -> None:
    labels = [label for answer in ANSWERS for label in answer.labels]
    assert sum(labels) / len(labels) == pytest.approx(0.65, abs=0.03)
    assert {len(answer.labels) for answer in ANSWERS} == {2, 3, 4, 5, 6}


@pytest.mark.parametrize("load", [RuleSplitter, SpacySplitter.load], ids=["rules", "spacy"])
def test_every_label_has_its_sentence(load: Callable[[], Splitter]) -> None:
    splitter = load()
    known = {claim for document in BANK for claim in claims_of(document)}
    for answer in ANSWERS:
        sentences = [answer.response[span.start : span.end] for span in splitter.split(answer.response)]
        assert len(sentences) == len(answer.labels), answer.id
        assert known.issuperset(sentences), answer.id


def test_what_supports_a_sentence_is_in_the_context() -> None:
    evidence = {
        claim: [document["sentences"][place] for place in places]
        for document in BANK
        for claim, places in zip(document["supported"], document["evidence"], strict=True)
    }
    for answer in ANSWERS:
        context = " ".join(answer.contexts)
        spans = RuleSplitter().split(answer.response)
        for span, is_supported in zip(spans, answer.labels, strict=True):
            claim = answer.response[span.start : span.end]
            assert (claim in evidence) == is_supported, answer.id
            assert all(sentence in context for sentence in evidence.get(claim, ())), answer.id


@pytest.mark.parametrize("document", BANK, ids=[document["id"] for document in BANK])
def test_claims_are_sentences_of_their_own(document: Document) -> None:
    claims = claims_of(document)
    assert len(set(claims)) == 10
    assert all(len(claim.split()) >= 5 and claim.endswith(".") for claim in claims)
    text = " ".join(document["sentences"]).casefold()
    assert not [claim for claim in claims if claim.rstrip(".").casefold() in text]
