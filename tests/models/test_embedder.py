from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groundwire.models.calibration import RAW
from groundwire.models.embedder import SentenceEmbedder
from groundwire.models.relevance import EmbeddingRelevance, load_relevance
from groundwire.models.relevance_files import EMBEDDED_MAX_TOKENS, embedded_files
from groundwire.models.text_windows import TextEncoder
from groundwire.models.window_runner import WindowRunner
from groundwire.schemas.errors import ModelError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

TOWER = "The Eiffel Tower is 330 metres tall."
TEXTS = [
    TOWER,
    "How high is the tower in Paris?",
    "Bananas are rich in potassium.",
    "",
    "Ünïcode, 東京 and 🗼!",
    "\ud800 a lone surrogate",
    "It was built for the World's Fair of 1889, and was meant to be taken down after twenty years, but it stayed.",
]
LONG = " ".join(f"Sentence {number} is about the tower's {number} steps." for number in range(40))


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    files = embedded_files()
    return SentenceEmbedder(files, WindowRunner(files, 1))


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    files = embedded_files()
    return TextEncoder(files.path_tokenizer, files.max_tokens)


def test_vectors_have_unit_length_and_the_stated_size(embedder: SentenceEmbedder) -> None:
    vectors = embedder.embed([*TEXTS, LONG])
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS) + 1, embedder.size) == (len(TEXTS) + 1, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_alike_texts_are_nearer_than_others(embedder: SentenceEmbedder) -> None:
    tower, question, bananas, *_ = embedder.embed(TEXTS)
    assert tower @ question > 0.5
    assert tower @ bananas < 0.2


def test_published_similarity_of_the_model_is_met(embedder: SentenceEmbedder) -> None:
    # from the model card of all-MiniLM-L6-v2 in the documentation of sentence-transformers
    weather, sunny, stadium = embedder.embed(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    assert weather @ sunny == pytest.approx(0.6660, abs=0.01)
    assert weather @ stadium == pytest.approx(0.1046, abs=0.01)
    assert sunny @ stadium == pytest.approx(0.1411, abs=0.01)


def test_no_texts_give_no_rows(embedder: SentenceEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_the_texts_beside_it(embedder: SentenceEmbedder) -> None:
    together = embedder.embed([LONG, *TEXTS])
    alone = np.concatenate([embedder.embed([text]) for text in (LONG, *TEXTS)])
    assert together == pytest.approx(alone, abs=1e-3)


def test_rows_follow_the_order_of_the_texts_with_repetitions(embedder: SentenceEmbedder) -> None:
    order = [2, 0, 2, 1, 0]
    assert embedder.embed([TEXTS[place] for place in order]) == pytest.approx(embedder.embed(TEXTS)[order], abs=1e-5)


def test_a_long_text_is_not_cut_short(embedder: SentenceEmbedder, encoder: TextEncoder) -> None:
    assert len(encoder.text_ids(LONG)) > EMBEDDED_MAX_TOKENS
    other_end = LONG + " " + " ".join(["Bananas are rich in potassium."] * 60)
    first, second, bananas = embedder.embed([LONG, other_end, TEXTS[2]])
    assert second @ bananas > first @ bananas + 0.2


def test_windows_hold_every_token_once_within_the_models_length(encoder: TextEncoder) -> None:
    for text in (*TEXTS, LONG, "word " * (EMBEDDED_MAX_TOKENS - 2), "word " * (EMBEDDED_MAX_TOKENS - 1)):
        windows = encoder.text_windows(text)
        lengths = [len(window.ids) for window in windows]
        assert max(lengths) <= EMBEDDED_MAX_TOKENS
        assert [token for window in windows for token in window.ids[1:-1]] == encoder.text_ids(text)
        assert len(windows) == max(1, math.ceil(len(encoder.text_ids(text)) / (EMBEDDED_MAX_TOKENS - 2)))


def test_case_and_accents_make_no_difference_but_control_tokens_are_text(encoder: TextEncoder) -> None:
    assert encoder.text_ids("CAFÉ") == encoder.text_ids("cafe")
    assert encoder.text_ids("[SEP]") == encoder.text_ids("[ sep ]")


def test_an_altered_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(embedded_files().path_onnx.read_bytes()[:-1] + b"x")
    with pytest.raises(ModelError, match="altered"):
        embedded_files(tmp_path)


def test_a_missing_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="can't be read"):
        embedded_files(tmp_path)


def test_fewer_than_one_thread_are_refused() -> None:
    with pytest.raises(SettingsError, match="threads 0"):
        WindowRunner(embedded_files(), 0)


def test_the_embedded_model_comes_with_a_calibration_that_parts_related_from_unrelated() -> None:
    model = load_relevance()
    raw = model.relevance([TOWER], [TEXTS[1], TEXTS[2], TOWER])
    related, unrelated, same = model.calibration.calibrate(raw)[0]
    assert related > 0.5
    assert unrelated < 0.1
    assert same == 1
    assert (model.model_id, len(model.model_sha256)) == ("all-MiniLM-L6-v2-int8", 64)


@pytest.mark.parametrize("memory_texts", [0, 1, 3, 100])
def test_relevance_is_the_cosine_however_little_is_remembered(embedder: SentenceEmbedder, memory_texts: int) -> None:
    model = EmbeddingRelevance(embedder, RAW, memory_texts)
    vectors = embedder.embed(TEXTS)
    for queries, passages in ((TEXTS[:2], TEXTS), (TEXTS, TEXTS[4:]), (TEXTS[:2], TEXTS)):
        rows, columns = ([TEXTS.index(text) for text in side] for side in (queries, passages))
        assert model.relevance(queries, passages) == pytest.approx(vectors[rows] @ vectors[columns].T, abs=1e-4)


def test_relevance_of_nothing_is_an_empty_matrix(embedder: SentenceEmbedder) -> None:
    model = EmbeddingRelevance(embedder, RAW)
    assert model.relevance([], TEXTS).shape == (0, len(TEXTS))
    assert model.relevance(TEXTS, []).shape == (len(TEXTS), 0)
    assert model.relevance([], []).shape == (0, 0)


def test_a_remembered_text_is_not_embedded_again(embedder: SentenceEmbedder) -> None:
    asked: list[str] = []

    class Counting(SentenceEmbedder):
        def __init__(self) -> None:
            self.size, self.model_id, self.model_sha256 = embedder.size, "counting", "0" * 64

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            asked.extend(texts)
            return embedder.embed(texts)

    model = EmbeddingRelevance(Counting(), RAW, memory_texts=3)
    model.relevance(["a"], ["b", "b", "a"])
    model.relevance(["a", "b"], ["c"])
    assert asked == ["a", "b", "c"]
    model.relevance(["d"], [])
    model.relevance(["b", "c", "d"], ["a"])  # the least recently used made room for d
    assert asked == ["a", "b", "c", "d", "a"]
