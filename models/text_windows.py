"""From texts and pairs to token ids for any tokenizer; what is too long for the model becomes several windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.models.pair_encoding import replace_lone_surrogates, windows
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SAMPLE = "a"
"""A text that any tokenizer turns into at least one token."""

_LONGEST_WORD = 100
"""Characters of a word above which BERT's tokenizer takes it for unknown."""


@dataclass(frozen=True)
class Window:
    """One input of a model: its token ids, control tokens included, and their token type ids."""

    ids: list[int]
    types: list[int]


class TextEncoder:
    """A tokenizer with a model's length; it treats control tokens spelt out in a text as text."""

    def __init__(self, path_tokenizer: Path, max_tokens: int) -> None:
        """Load a tokenizer.

        Args:
            path_tokenizer: A tokenizer.json, or the vocabulary (.txt) of an uncased BERT.
            max_tokens: Most tokens of a window, control tokens included.

        Raises:
            ModelError: The file is missing or unusable, or the package tokenizers is missing.
        """
        self._tokenizer = _load(path_tokenizer)
        # windows are made here, so cutting and filling up must not be left to the tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self._single = _Frame.of(self._tokenizer.encode(_SAMPLE), texts=1)
        self._pair = _Frame.of(self._tokenizer.encode(_SAMPLE, _SAMPLE), texts=2)
        self._room = max_tokens - self._single.size
        self._pair_room = max_tokens - self._pair.size
        if self._pair_room < 2:  # noqa: PLR2004 - a token of each text of a pair
            raise ModelError(f"{path_tokenizer}: a length of {max_tokens} tokens leaves no room for text")

    def text_ids(self, text: str) -> list[int]:
        """Give the token ids of a text, without control tokens."""
        ids: list[int] = self._tokenizer.encode(replace_lone_surrogates(text), add_special_tokens=False).ids
        return ids

    def text_windows(self, text: str) -> list[Window]:
        """Give a text's windows: one, or where it is too long the fewest that hold it, of even size."""
        ids = self.text_ids(text)
        count = max(1, -(-len(ids) // self._room))
        size = max(1, -(-len(ids) // count))
        starts = range(0, max(1, len(ids)), size)
        return [self._single.around(ids[start : start + size]) for start in starts]

    def pair_windows(self, query: list[int], passage: list[int]) -> Iterator[tuple[int, Window]]:
        """Give a pair's windows, each with the number of the query's window that it holds.

        A query that leaves the passage less than half the room is cut into windows, and the passage into windows of
        the room that is left; neighbours overlap, so that a statement cut by one stands whole in the next.

        Args:
            query: Its token ids, as `text_ids` gives them.
            passage: Likewise.
        """
        query_room = max(self._pair_room // 2, self._pair_room - len(passage))
        for number, part in enumerate(windows(query, query_room)):
            for passage_part in windows(passage, self._pair_room - len(part)):
                yield number, self._pair.around(part, passage_part)


@dataclass(frozen=True)
class _Frame:
    """The control tokens before, between and behind the texts of an input, and every token's type.

    Attributes:
        control: One window part more than there are texts.
        text_types: Token type id of each text.
    """

    control: list[Window]
    text_types: list[int]

    @classmethod
    def of(cls, encoding: Any, texts: int) -> _Frame:  # noqa: ANN401 - keeps tokenizers out of this module's imports
        """Read the frame off an input that the tokenizer has made."""
        control = [Window([], []) for _ in range(texts + 1)]
        text_types = [0] * texts
        seen = 0
        for token, kind, text in zip(encoding.ids, encoding.type_ids, encoding.sequence_ids, strict=True):
            if text is None:
                control[seen].ids.append(token)
                control[seen].types.append(kind)
            else:
                seen = text + 1
                text_types[text] = kind
        return cls(control, text_types)

    @property
    def size(self) -> int:
        """Number of control tokens."""
        return sum(len(part.ids) for part in self.control)

    def around(self, *texts: list[int]) -> Window:
        """Put the token ids of the texts into the frame."""
        ids, types = list(self.control[0].ids), list(self.control[0].types)
        for text, kind, control in zip(texts, self.text_types, self.control[1:], strict=True):
            ids += text + control.ids
            types += [kind] * len(text) + control.types
        return Window(ids, types)


def _load(path: Path) -> Any:  # noqa: ANN401 - keeps tokenizers out of this module's imports
    try:
        import tokenizers  # noqa: PLC0415 - importing groundwire.models stays light
    except ImportError as error:
        raise ModelError("scoring needs the package tokenizers: pip install 'groundwire[worker]'") from error
    try:
        if path.suffix != ".txt":
            return tokenizers.Tokenizer.from_file(str(path))
        vocabulary = {token: row for row, token in enumerate(path.read_text("utf-8").splitlines())}
        tokenizer = tokenizers.Tokenizer(
            tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=_LONGEST_WORD)  # noqa: S106
        )
        # lower case and, with it, no accents
        tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = tokenizers.processors.BertProcessing(
            ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
        )
    except Exception as error:  # tokenizers raises no narrower class
        raise ModelError(f"{path}: can't be read as a tokenizer ({error})") from error
    return tokenizer
