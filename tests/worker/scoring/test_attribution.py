"""Whether the chunk that a sentence cites is the one that supports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groundwire.schemas import GroundednessDetails, MetricName, ProfileName
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from tests.worker.scoring.conftest import MODELS_PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.schemas import Job
    from groundwire.worker.scoring.ports import Ports

HARBOUR = {"id": "harbour", "text": "The harbour was dug by hand in 1870. It holds forty fishing boats in winter."}
MILL = {"id": "mill", "text": "The mill grinds rye and oats for the whole valley."}


@pytest.fixture
def details(ports: Ports, make_job: Callable[..., Job]) -> Callable[..., GroundednessDetails]:
    def details(
        answer: str, profile: ProfileName = ProfileName.EVIDENCE, contexts: Any = (HARBOUR, MILL), **fields: Any
    ) -> GroundednessDetails:
        job = make_job(response_text=answer, contexts=list(contexts), **fields)
        found = score_job(job, PROFILES[profile], ports, [MetricName.GROUNDEDNESS]).metrics["groundedness"].details
        assert found is not None
        return found

    return details


@pytest.mark.parametrize("profile", MODELS_PROFILES)
def test_each_citation_is_held_against_its_sentence(
    details: Callable[..., GroundednessDetails], profile: ProfileName
) -> None:
    answer = "The harbour was dug by hand [1]. The mill grinds rye and oats [1][2]. It holds forty fishing boats [2]."
    found = details(answer, profile)
    assert [(one.cited, one.supporting, one.citation_supports) for one in found.sentences] == [
        ((0,), (0,), True),
        ((0, 1), (1,), True),
        ((1,), (), False),
    ]
    assert (found.citation_precision, found.citation_recall) == (0.5, pytest.approx(2 / 3))


def test_who_entails_a_sentence_is_told_whatever_it_cites(details: Callable[..., GroundednessDetails]) -> None:
    found = details("The mill grinds rye and oats [1]. The harbour was dug by hand [2].")
    assert [(one.cited, one.entailed_by) for one in found.sentences] == [((0,), (1,)), ((1,), (0,))]
    assert (found.citation_precision, found.citation_recall) == (0.0, 0.0)


def test_a_sentence_without_a_citation_counts_for_recall_alone(details: Callable[..., GroundednessDetails]) -> None:
    found = details("The harbour was dug by hand [1]. It holds forty fishing boats.")
    assert [one.citation_supports for one in found.sentences] == [True, None]
    assert (found.citation_precision, found.citation_recall) == (1.0, 0.5)


def test_the_jobs_list_says_of_no_sentence_which_chunk_it_cites(details: Callable[..., GroundednessDetails]) -> None:
    answer = "The harbour was dug by hand in 1870. Seven geese live on the common behind the church."
    found = details(answer, cited_chunks=["harbour", "nosuch"])
    assert [(one.cited, one.supporting, one.citation_supports) for one in found.sentences] == [
        ((), (0,), True),
        ((), (), False),
    ]
    assert (found.citation_precision, found.citation_recall) == (None, 0.5)
    assert found.unresolved_citations == ("nosuch",)


def test_a_blank_chunk_supports_nothing(details: Callable[..., GroundednessDetails]) -> None:
    found = details("The harbour was dug by hand [1][3].", contexts=(HARBOUR, MILL, {"text": " "}))
    assert [(one.cited, one.supporting) for one in found.sentences] == [((0, 2), (0,))]
    assert found.citation_precision == 0.5


def test_a_chunk_is_asked_about_although_five_others_were_cited_before(
    details: Callable[..., GroundednessDetails],
) -> None:
    contexts = [{"text": f"The shed numbered {number} is full of hay."} for number in range(5)] + [MILL]
    found = details("The sheds are full of hay [1-5]. The mill grinds rye and oats [6].", contexts=contexts)
    assert [chunk.context_index for chunk in found.chunks] == [0, 1, 2, 3, 4]
    assert (found.sentences[1].supporting, found.sentences[1].entailed_by) == ((5,), ())


def test_what_is_known_is_not_asked_again(details: Callable[..., GroundednessDetails], nli: Any) -> None:
    details("The mill grinds rye and oats [2].", contexts=(HARBOUR, MILL))
    assert len(nli.calls) == 1


def test_an_answer_without_citations_has_no_attribution(details: Callable[..., GroundednessDetails]) -> None:
    found = details("The mill grinds rye and oats. It was measured twice [2019].")
    assert [(one.cited, one.supporting, one.citation_supports) for one in found.sentences] == [((), None, None)] * 2
    assert (found.citation_precision, found.citation_recall, found.cites) == (None, None, False)
    assert found.unresolved_citations == ("2019",)
