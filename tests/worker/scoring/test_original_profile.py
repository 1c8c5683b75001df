from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import ProfileName

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.scoring.score_job import JobScore

CLAIM = "The mill grinds rye and oats."


def words(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


@pytest.mark.parametrize(
    ("count", "sizes"), [(512, [512]), (513, [400, 113]), (800, [400, 400]), (1001, [400, 400, 201])]
)
def test_contexts_of_more_than_512_words_are_cut_into_pieces_of_400(
    score: Callable[..., JobScore], nli: Any, count: int, sizes: list[int]
) -> None:
    score(ProfileName.ORIGINAL, rag_context=words(count), response_text=CLAIM)
    premises = [premise for call in nli.calls for premise, _ in call]
    assert [len(premise.split()) for premise in premises] == sizes
    assert " ".join(premises) == words(count)


def test_logits_are_divided_by_one_and_a_half(score: Callable[..., JobScore], nli: Any) -> None:
    score(ProfileName.ORIGINAL, rag_context=words(100), response_text=CLAIM)
    assert nli.temperatures == [1.5]


def test_the_piece_that_entails_most_decides_and_is_reported_by_field(score: Callable[..., JobScore]) -> None:
    contexts = [words(399), {"id": "b", "title": "Of mills", "text": f"{CLAIM} {words(200)}"}]
    metric = score(ProfileName.ORIGINAL, contexts=contexts, response_text=CLAIM).metrics["faithfulness"]
    assert metric.score == 1.0
    [piece] = metric.sentence_results[0].evidence[1:]
    assert (piece.context_index, piece.context_id, piece.field, piece.start) == (1, "b", "text", 0)
    title = metric.sentence_results[0].evidence[0]
    assert (title.field, title.start, title.end, title.text) == ("title", 3, 8, "mills")


def test_white_space_of_the_context_does_not_reach_the_model(score: Callable[..., JobScore], nli: Any) -> None:
    score(
        ProfileName.ORIGINAL,
        contexts=["The  mill\n\ngrinds", " rye and oats, and it is a very old mill. "],
        response_text=CLAIM,
    )
    assert nli.calls[0][0][0] == "The mill grinds rye and oats, and it is a very old mill."


def test_a_metric_that_would_take_hours_is_an_error_before_the_model_is_asked(
    score: Callable[..., JobScore], nli: Any
) -> None:
    sentences = " ".join(f"The mill number {number} grinds rye." for number in range(1500))
    metric = score(ProfileName.ORIGINAL, rag_context=words(6000), response_text=sentences).metrics["faithfulness"]
    assert (metric.score, metric.status) == (None, "error")
    assert metric.error is not None
    assert metric.error.code == "too_large"
    assert "mill" not in metric.error.message
    assert not nli.calls
