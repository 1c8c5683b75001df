"""Laws of the verdict: what must not change it, whatever the answer and the context are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from groundwire.models import Answers, RuleSplitter
from groundwire.schemas import Job, MetricName, ProfileName
from groundwire.worker.scoring.cleaning import clean
from groundwire.worker.scoring.context import read_context
from groundwire.worker.scoring.evidence import EvidenceIndex
from groundwire.worker.scoring.ports import Ports
from groundwire.worker.scoring.profiles import PROFILES
from groundwire.worker.scoring.score_job import score_job
from groundwire.worker.scoring.subject import shares_content

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.schemas import SentenceResult

# the fixtures hold nothing that one example could leave to the next; the first example loads tables of words
any_example = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

WITHOUT_LIMITS = PROFILES[ProfileName.EVIDENCE].with_limits(
    min_context_chars=0, min_completion_tokens=0, min_sentence_words=1
)

SENTENCES = [
    "The mill of Holm grinds rye and oats.",
    "The mill was built in 1870 by Anna Berg.",
    "The mill was built in 1871 by Olaf Lind.",
    "It is not open on Monday, 4 May 2020.",
    "The United Nations praised the mill.",
    "National prizes went to the mill in 1999.",
    "Seven years as a miller, expert level.",
    "It sold 1,250 sacks for $3.4 million.",
    "It sold 1250 sacks for $3.5 million.",
    "Prices rose by 7.5% in two years, to 12 euros.",
    "The miller knows Danish well.",
    "A road leads from Ribe to the mill.",
]
CLAIMS = [*SENTENCES, "The candidate knows a miller.", "The UN praised the mill of Ribe.", "It sold 38 sacks in 1870."]

FOREIGN = [
    "Tomatoes like warm soil. Water them before noon.",
    "Ferries wait for no passenger. Gulls follow them.",
    "A kettle boils faster under its lid. Tea tastes better from a pot.",
    "Owls sleep by day and hunt mice. Mice hear them late.",
    "Chess clubs meet upstairs. Beginners borrow boards there.",
]
"""Chunks that share no content word with any of the sentences."""

chunk_texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5).map(" ".join)
chunks = st.one_of(
    chunk_texts.map(lambda text: {"text": text}),
    st.builds(lambda title, text: {"title": title, "text": text}, st.sampled_from(SENTENCES), chunk_texts),
)
contexts = st.lists(chunks, min_size=1, max_size=5)
answers = st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=4, unique=True)


class OrderedNli:
    """Says something else of every other text, so that one word in another place is another answer."""

    def answer(self, pairs: Sequence[tuple[str, str]], temperature: float) -> Answers:
        assert temperature > 0
        return Answers(np.array([self._row(*pair) for pair in pairs], np.float32), 0)

    def _row(self, premise: str, hypothesis: str) -> list[float]:
        total = sum(place * ord(character) for place, character in enumerate(premise + hypothesis, 1))
        raw = np.array([1 + total % 97, 1 + total % 89, 1 + total % 83], float)
        return [float(value) for value in raw / raw.sum()]


@pytest.fixture
def verdicts(ports: Ports) -> Callable[..., list[SentenceResult]]:
    ordered = Ports(OrderedNli(), ports.relevance, ports.answer_splitter, ports.context_splitter, ports.tokens)

    def verdicts(claims: Sequence[str], context: Sequence[Any]) -> list[SentenceResult]:
        job = Job(trace_id="t1", span_id="s1", response_text="\n\n".join(claims), contexts=context)
        metric = score_job(job, WITHOUT_LIMITS, ordered, [MetricName.FAITHFULNESS]).metrics["faithfulness"]
        return list(metric.sentence_results)

    return verdicts


def said(result: SentenceResult) -> tuple[Any, ...]:
    """All that is said of a sentence but where its evidence stands."""
    return (
        result.sentence,
        result.label,
        (result.entailment_prob, result.neutral_prob, result.contradiction_prob),
        result.discrepancy,
        [(piece.field, piece.start, piece.end, piece.text) for piece in result.evidence],
    )


@any_example
@given(answers, contexts, st.data())
def test_the_order_of_chunks_changes_nothing_and_evidence_moves_with_its_chunk(
    verdicts: Callable[..., list[SentenceResult]], claims: list[str], context: list[Any], data: st.DataObject
) -> None:
    places = data.draw(st.permutations(range(len(context))))
    before, after = verdicts(claims, context), verdicts(claims, [context[place] for place in places])
    assert list(map(said, before)) == list(map(said, after))
    for one, other in zip(before, after, strict=True):
        moved = [context[places[piece.context_index]] for piece in other.evidence]
        assert moved == [context[piece.context_index] for piece in one.evidence]


@any_example
@given(answers, contexts, st.data())
def test_repeated_chunks_change_nothing(
    verdicts: Callable[..., list[SentenceResult]], claims: list[str], context: list[Any], data: st.DataObject
) -> None:
    repeated = data.draw(st.permutations([*context, *data.draw(st.lists(st.sampled_from(context), max_size=5))]))
    assert list(map(said, verdicts(claims, context))) == list(map(said, verdicts(claims, repeated)))


@any_example
@given(answers, contexts, st.data())
def test_added_chunks_about_something_else_change_nothing(
    verdicts: Callable[..., list[SentenceResult]], claims: list[str], context: list[Any], data: st.DataObject
) -> None:
    texts = " ".join(text for chunk in context for text in chunk.values())
    about = [claim for claim in claims if shares_content(claim, texts)]
    assume(about)
    mixed = data.draw(st.permutations([*context, *({"text": text} for text in FOREIGN)]))
    assert list(map(said, verdicts(about, context))) == list(map(said, verdicts(about, mixed)))


@any_example
@given(answers, contexts, st.sampled_from(CLAIMS), st.data())
def test_a_sentence_is_judged_alike_wherever_it_stands_and_whatever_is_beside_it(
    verdicts: Callable[..., list[SentenceResult]],
    claims: list[str],
    context: list[Any],
    added: str,
    data: st.DataObject,
) -> None:
    place = data.draw(st.integers(0, len(claims)))
    together = list(map(said, verdicts([*claims[:place], added, *claims[place:]], context)))
    assert together.pop(place) == said(*verdicts([added], context))
    assert together == list(map(said, verdicts(claims, context)))


words = st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=2, max_size=8)
# the last word is given: one that is an abbreviation would end no sentence
plain_sentences = st.lists(words, min_size=2, max_size=8).map(lambda found: " ".join(found).capitalize() + " there.")


@settings(deadline=None)
@given(st.lists(st.lists(plain_sentences, min_size=1, max_size=6), min_size=1, max_size=5), st.data())
def test_every_sentence_of_a_context_finds_its_place(texts: list[list[str]], data: st.DataObject) -> None:
    where = [(chunk, sentence) for chunk, text in enumerate(texts) for sentence in text]
    only_once = [place for place in where if sum(place[1] == other for _, other in where) == 1]
    if not only_once:
        return
    chunk, sentence = data.draw(st.sampled_from(only_once))
    joined = [" ".join(text) for text in texts]
    fields = read_context(Job(trace_id="t1", span_id="s1", response_text="x", contexts=joined))
    premises = EvidenceIndex(fields, RuleSplitter(), (1, 2, 3)).premises(clean(sentence))
    start = joined[chunk].index(sentence)
    found = {(p.source.context_index, p.start, p.end) for premise in premises for p in premise.passages}
    assert (chunk, start, start + len(sentence)) in found
