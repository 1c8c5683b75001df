from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.alignment import MAX_WORDS, align, sentence_spans, words_of


def test_words_in_each_others_place_are_found_with_their_neighbours() -> None:
    (alignment,) = align("The seal lasts 2,000 hours.", "The seal lasts 8,000 hours.")
    (substitution,) = alignment.substitutions
    assert [word.text for word in substitution.claimed] == ["2,000"]
    assert [word.text for word in substitution.found] == ["8,000"]
    assert substitution.before is not None
    assert substitution.after is not None
    assert (substitution.before.text, substitution.after.text) == ("lasts", "hours")
    assert substitution.is_close


def test_long_replacements_are_not_close() -> None:
    (alignment,) = align("It is red wine here.", "It is what they all drink here.")
    assert not any(substitution.is_close for substitution in alignment.substitutions)


def test_places_of_words_are_those_in_the_evidence() -> None:
    evidence = "One came. Two of them went home."
    words = [word for alignment in align("Two went.", evidence) for word in alignment.sentence]
    assert [evidence[word.start : word.end] for word in words] == [word.text for word in words]


def test_the_share_counts_words_with_content() -> None:
    (alignment,) = align("The cat of the house sleeps.", "A cat sleeps.")
    assert alignment.shared == 2 / 3


def test_sentences_end_at_full_stops_but_not_at_abbreviations() -> None:
    text = "Dr. Smith met J. Doe. They talked! Then 3.5 hours passed.\nEnd"
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "Dr. Smith met J. Doe.",
        "They talked!",
        "Then 3.5 hours passed.",
        "End",
    ]


def test_long_sentences_are_cut() -> None:
    assert len(words_of("word " * (MAX_WORDS + 1))) == MAX_WORDS


@given(st.lists(st.sampled_from(["red", "green", "blue", "house", "tree", "5", "is", "the", "of"]), min_size=1))
def test_a_sentence_replaces_nothing_of_itself(words: list[str]) -> None:
    sentence = " ".join(words)
    (alignment,) = align(sentence, sentence)
    assert alignment.substitutions == ()
    assert alignment.pairs == tuple((place, place) for place in range(len(words)))
