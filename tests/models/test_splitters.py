"""What both splitters must get right, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.models import RuleSplitter
from groundwire.models.sentences import MAX_SENTENCE_CHARS, UNMARKED_PIECE_CHARS

if TYPE_CHECKING:
    from groundwire.models import SpacySplitter, Splitter

UNDIVIDED = [
    "Write terms such as e.g. and i.e. without italics in the guide.",
    "The limits are listed under no. 7 of the annex.",
    "Checking the draft was the Ph.D.'s task last week.",
    "Samuel Reed Jr. walked to the station alone.",
    "Revenue excl. leases came to EUR 3.4 b. at a margin of 7.5%",
    "Okafor et al. [2019] measured the drift twice.",
    "The learning rate used in training is 0.0004.",
    "Dr. No and Mrs. J. A. Smith met near St. Paul's Cathedral.",
    "The U.S. Army moved to Washington, D.C. in the spring.",
    "Read https://example.com/a.b?c=d&e=f. before you go on.",
    '"Stop!" he said.',
    "The firm (est. 1990) sells pumps, valves, etc. to Acme Inc. and others.",
    "It costs 3.50 euros at 5 p.m. on Jan. 5 at the latest.",
    "Die Einheit kam am 3. Oktober 1990.",
    "Yahoo! was founded in 1994 by two students.",
    "The trend held (see Fig. 3 and Sec. 4.2).",
    "The U.S. economy grew by 2.1% in v2.3.1 of the estimate.",
    "It runs on Node.js 18.2 and needs info@x.org. as a contact.",
    "J. K. Rowling and J.R.R. Tolkien wrote about rings and wands.",
    "She said: \u201cHe told me \u2018Stop!\u2019 and left.\u201d",
    "The tower (built in 1889; see p. 7) is tall",
    "Well\u2026 it works, and so on... mostly.",
    "**Starter**: 15 seats, `a.b` and [a link](https://x.org/a.b) included",
]

DIVIDED = [
    ("1. Install the pump\n2. Open the valve\n3. Done", ["Install the pump", "Open the valve", "Done"]),
    (
        "Two steps remain.\n1. Restart the server!\n2. Clear the cache!",
        ["Two steps remain.", "Restart the server!", "Clear the cache!"],
    ),
    ("京都是日本的古都。清水寺建于778年。", ["京都是日本的古都。", "清水寺建于778年。"]),
    ("本当ですか\uff1f「はい\uff01」彼は言った。", ["本当ですか\uff1f", "「はい\uff01」", "彼は言った。"]),
    ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
    ("هل هذا صحيح؟ نعم هذا صحيح.", ["هل هذا صحيح؟", "نعم هذا صحيح."]),
    (
        "The pump leaks. [1] It is old.[2, 3] See notes.",
        ["The pump leaks. [1]", "It is old.[2, 3]", "See notes."],
    ),
    ('She said "No." He left.', ['She said "No."', "He left."]),
    ("The tower is tall (very tall.) It is old.", ["The tower is tall (very tall.)", "It is old."]),
    ("the pump is old. it leaks e.g. at night.", ["the pump is old.", "it leaks e.g. at night."]),
    ("He joined Acme Inc. The firm is large.", ["He joined Acme Inc.", "The firm is large."]),
    ("Is it safe? Yes, it is! Good.", ["Is it safe?", "Yes, it is!", "Good."]),
    (
        "# Pumps\n\nThey move.\n\n- [x] oil them\n* clean them",
        ["Pumps", "They move.", "oil them", "clean them"],
    ),
    ("(a) Open it.\n(b) Close it.\n iv) Lock it.", ["Open it.", "Close it.", "Lock it."]),
    ("One line\r\nanother line\u2028a third\x0ba fourth", ["One line", "another line", "a third", "a fourth"]),
    (
        "A paragraph that was wrapped at a fixed width of\nsome forty columns is one sentence.\nThe next is not.",
        ["A paragraph that was wrapped at a fixed width of\nsome forty columns is one sentence.", "The next is not."],
    ),
    ("apples\npears\nplums", ["apples", "pears", "plums"]),
    ("See https://a.b/c.d?e=f. Next comes the test.", ["See https://a.b/c.d?e=f.", "Next comes the test."]),
    ("Write to info@x.org. They answer soon.", ["Write to info@x.org.", "They answer soon."]),
    ("It runs on Node.js 18.2. It is fast.", ["It runs on Node.js 18.2.", "It is fast."]),
    ("And so on\u2026 The end came soon.", ["And so on\u2026", "The end came soon."]),
    ("It is great! \U0001f600 The tower is tall.", ["It is great! \U0001f600", "The tower is tall."]),
    ("It is tall.\U0001f469\u200d\U0001f4bb It is old.", ["It is tall.\U0001f469\u200d\U0001f4bb", "It is old."]),
    ("It is tall.\u00b9 It is old.\u00b2\u02d2\u00b3", ["It is tall.\u00b9", "It is old.\u00b2\u02d2\u00b3"]),
    ("She said \"He said 'No.'\" Then she left.", ["She said \"He said 'No.'\"", "Then she left."]),
    (
        "It is so (Lee & Kim, 2019). (Smith et al., 2020) It was not.",
        ["It is so (Lee & Kim, 2019). (Smith et al., 2020)", "It was not."],
    ),
    ("> It is quoted.\n> It is old.", ["It is quoted.", "It is old."]),
    ("Two things. 1. Open it. 2. Close it.", ["Two things.", "Open it.", "Close it."]),
]


@pytest.fixture(params=["rules", "spacy"])
def splitter(request: pytest.FixtureRequest, spacy_splitter: SpacySplitter) -> Splitter:
    return RuleSplitter() if request.param == "rules" else spacy_splitter


def sentences(splitter: Splitter, text: str) -> list[str]:
    return [text[span.start : span.end] for span in splitter.split(text)]


@pytest.mark.parametrize("text", UNDIVIDED)
def test_one_sentence_stays_one(splitter: Splitter, text: str) -> None:
    assert sentences(splitter, text) == [text]


@pytest.mark.parametrize(("text", "expected"), DIVIDED)
def test_sentences_are_told_apart(splitter: Splitter, text: str, expected: list[str]) -> None:
    assert sentences(splitter, text) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "\n \t\r\n", "1.", "- ", "2.\n3.\n", "**1.**", "1.2.\n", "IV.", "\u2460\n\u2713", "\u2028\u00a0"]
)
def test_blanks_and_bare_markers_are_no_sentences(splitter: Splitter, text: str) -> None:
    assert splitter.split(text) == []


def test_a_sentence_without_end_is_cut_at_white_space(splitter: Splitter) -> None:
    text = "word " * 1000
    pieces = sentences(splitter, text)
    assert max(map(len, pieces)) <= MAX_SENTENCE_CHARS
    assert {word for piece in pieces for word in piece.split()} == {"word"}
    assert sum(len(piece.split()) for piece in pieces) == 1000


def test_thai_is_cut_at_spaces_where_it_is_long(splitter: Splitter) -> None:
    clause = "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e\u0e40\u0e1b\u0e47\u0e19\u0e40\u0e21\u0e37\u0e2d\u0e07"
    short = f"{clause} {clause}"
    assert sentences(splitter, short) == [short]
    long = " ".join([clause] * 40)
    pieces = sentences(splitter, long)
    assert " ".join(pieces) == long
    assert all(len(piece) <= UNMARKED_PIECE_CHARS for piece in pieces)
    unbroken = clause * 20
    assert sentences(splitter, unbroken) == [unbroken]


def test_a_text_without_any_white_space_is_cut_all_the_same(splitter: Splitter) -> None:
    pieces = sentences(splitter, "x" * 25_001)
    assert "".join(pieces) == "x" * 25_001
    assert max(map(len, pieces)) <= MAX_SENTENCE_CHARS


def test_a_million_and_one_characters_by_rules() -> None:
    prose = ("The pump moves water. It was built in 1990, e.g. by hand. " * 20_000)[:1_000_001]
    spans = RuleSplitter().split(prose)
    assert len(spans) > 34_000
    assert prose[spans[0].start : spans[0].end] == "The pump moves water."


@pytest.mark.parametrize("hostile", [". " * 50_000, "." * 200_000 + "x", "a." * 100_000, "[1]" * 60_000])
def test_hostile_texts_take_no_more_than_linear_time(hostile: str) -> None:
    for span in RuleSplitter().split(hostile):
        assert hostile[span.start : span.end].strip()
