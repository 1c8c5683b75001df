"""Whether the chunks that a sentence cites are those that support it.

Citation precision and recall are those of Gao et al., "Enabling Large Language Models to Generate Text with Citations"
(2023), with one difference: a chunk supports a sentence by itself, theirs may also do so together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.schemas import Label
from groundwire.worker.scoring.asking import label_of
from groundwire.worker.scoring.grounds import context_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.worker.scoring.asking import NliAsker, Probabilities
    from groundwire.worker.scoring.case import Case
    from groundwire.worker.scoring.contradiction import Verdict
    from groundwire.worker.scoring.premises import Premise


@dataclass(frozen=True, slots=True)
class Attribution:
    """Citations of the sentences that count, by the sentence's position in the answer.

    Attributes:
        cited: Chunks that a sentence's marks name.
        supporting: Those of them that entail it. Where the job lists what the answer cites and a sentence has no mark
            of its own, the chunks of the list that entail it, be it together.
    """

    cited: Mapping[int, tuple[int, ...]]
    supporting: Mapping[int, tuple[int, ...]]

    @property
    def precision(self) -> float | None:
        """Share of (sentence, cited chunk) pairs in which the chunk supports the sentence; None without any."""
        pairs = sum(map(len, self.cited.values()))
        right = sum(len(self.supporting[place]) for place, chunks in self.cited.items() if chunks)
        return right / pairs if pairs else None

    @property
    def recall(self) -> float:
        """Share of the sentences that a chunk they cite supports."""
        return sum(map(bool, self.supporting.values())) / len(self.supporting)


def cited_by(case: Case, place: int) -> tuple[int, ...]:
    """Give the chunks that the marks of a sentence name, as many of them as are looked at."""
    return case.citations.by_sentence[place][: case.profile.grounding.max_chunks]


def attribute(case: Case, asker: NliAsker, claims: Mapping[int, str], verdicts: Mapping[int, Verdict]) -> Attribution:
    """Find out which of the chunks that a sentence cites support it: those that have a premise which entails it.

    Args:
        case: The job.
        asker: Asks the NLI model.
        claims: The sentences that count, cleaned, by their position in the answer; at least one.
        verdicts: What all the chunks together say of each.
    """
    cited = {place: cited_by(case, place) for place in claims}
    filled = {field.context_index for field in case.context}
    pairs = [(place, chunk) for place in claims for chunk in cited[place] if chunk in filled]
    # a premise that lies within the chunk is as good as one that is retrieved from it alone, and is paid for
    settled = {
        (place, chunk)
        for place, chunk in pairs
        if any(_supports(one.probabilities) and _is_of(chunk, one.premise) for one in verdicts[place].held)
    }

    def within(place: int, chunk: int) -> Sequence[Premise]:
        return [premise for premise in verdicts[place].left if _is_of(chunk, premise)]

    def retrieved(place: int, chunk: int) -> Sequence[Premise]:
        return case.premise_source_of(context_of(case, chunk)).premises(claims[place])

    for premises_of in (within, retrieved):
        open_pairs = [pair for pair in pairs if pair not in settled]
        answers = asker.hold([(claims[pair[0]], premises_of(*pair)) for pair in open_pairs], until=_supports)
        settled |= {
            pair
            for pair, held in zip(open_pairs, answers, strict=True)
            if any(_supports(one.probabilities) for one in held)
        }
    supporting = {
        place: tuple(chunk for chunk in cited[place] if (place, chunk) in settled)
        if cited[place] or not case.citations.listed
        else verdicts[place].entailed_by
        for place in claims
    }
    return Attribution(cited, supporting)


def _supports(probabilities: Probabilities) -> bool:
    return label_of(probabilities) is Label.ENTAILMENT


def _is_of(chunk: int, premise: Premise) -> bool:
    """Tell whether a premise is from this chunk alone."""
    return all(passage.source.context_index == chunk for passage in premise.passages)
