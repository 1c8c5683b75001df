"""The shape of a DeBERTa-v2 or v3 classifier, as its config.json states it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

ACTIVATIONS = ("gelu", "relu", "tanh")
"""Names of activations, as configurations spell them, that a graph can be built with."""

_DEFAULTS: Mapping[str, Any] = {
    "relative_attention": False,
    "position_biased_input": True,
    "position_buckets": -1,
    "max_relative_positions": -1,
    "max_position_embeddings": 512,
    "share_att_key": False,
    "pos_att_type": (),
    "norm_rel_ebd": "none",
    "layer_norm_eps": 1e-7,
    "hidden_act": "gelu",
    "pooler_hidden_act": "gelu",
    "type_vocab_size": 0,
    "conv_kernel_size": 0,
}
"""What transformers' DebertaV2Config, and its model, take for a field that a config.json leaves out."""

_POSITION_PARTS = frozenset({"c2p", "p2c"})


@dataclass(frozen=True)
class DebertaConfig:
    """Shape of an encoder with disentangled attention and of the classifier on it.

    Attributes:
        vocabulary: Rows of the word embedding.
        hidden: Size of a token's vector.
        layers: Number of layers.
        heads: Attention heads; `hidden` is a multiple of it.
        intermediate: Width between the two products of a feed-forward part.
        labels: The classes' names as the model's `id2label` has them, in the order of its outputs.
        max_tokens: Longest input that the model was made for.
        position_buckets: Rows of the relative-position table for each direction, farther distances sharing rows on a
            logarithmic scale; 0: a row for each distance.
        max_relative_positions: Distance from which on all distances share a row.
        share_att_key: Positions are projected by the weights of content's keys and queries, not by their own.
        content_to_position: Scores have a part of query content and relative position.
        position_to_content: Scores have a part of relative position and key content.
        norm_positions: The relative-position table passes a layer normalisation.
        position_biased_input: Absolute positions are added to the word embedding.
        epsilon: Of the layer normalisations.
        activation: Of the feed-forward parts; one of ACTIVATIONS.
        pooler_activation: Of the pooler; one of ACTIVATIONS.
    """

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    intermediate: int
    labels: tuple[str, ...]
    max_tokens: int = 512
    position_buckets: int = 256
    max_relative_positions: int = 512
    share_att_key: bool = True
    content_to_position: bool = True
    position_to_content: bool = True
    norm_positions: bool = True
    position_biased_input: bool = False
    epsilon: float = 1e-7
    activation: str = "gelu"
    pooler_activation: str = "gelu"

    @property
    def head_size(self) -> int:
        """Size of a head's part of a token's vector."""
        return self.hidden // self.heads

    @property
    def position_span(self) -> int:
        """Half the rows of the relative-position table: the row of distance 0."""
        return self.position_buckets or self.max_relative_positions

    @classmethod
    def from_json(cls, config: Mapping[str, Any]) -> DebertaConfig:
        """Read a transformers config.json.

        Args:
            config: The file's content.

        Raises:
            ModelError: It is of another kind of model, a field that is needed is missing or unusable, or the model
                has a part that the graph builder doesn't know.
        """
        fields = {**_DEFAULTS, **config}
        _refuse_unknown_parts(fields)
        size = _Sizes(fields)
        hidden, heads = size.positive("hidden_size"), size.positive("num_attention_heads")
        head_size = size.positive("attention_head_size") if "attention_head_size" in fields else hidden // heads
        if heads * head_size != hidden:
            raise ModelError(f"config.json: hidden_size {hidden} is not {heads} attention heads of one size")
        max_tokens = size.positive("max_position_embeddings")
        buckets, farthest = size.whole("position_buckets"), size.whole("max_relative_positions")
        parts = _position_parts(fields["pos_att_type"])
        return cls(
            vocabulary=size.positive("vocab_size"),
            hidden=hidden,
            layers=size.positive("num_hidden_layers"),
            heads=heads,
            intermediate=size.positive("intermediate_size"),
            labels=_labels(fields.get("id2label")),
            max_tokens=max_tokens,
            position_buckets=max(buckets, 0),
            max_relative_positions=farthest if farthest > 0 else max_tokens,
            share_att_key=bool(fields["share_att_key"]),
            content_to_position="c2p" in parts,
            position_to_content="p2c" in parts,
            norm_positions=str(fields["norm_rel_ebd"]).strip().lower() == "layer_norm",
            position_biased_input=bool(fields["position_biased_input"]),
            epsilon=_epsilon(fields["layer_norm_eps"]),
            activation=fields["hidden_act"],
            pooler_activation=fields["pooler_hidden_act"],
        )


class _Sizes:
    """Whole numbers of a configuration."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def whole(self, name: str) -> int:
        value = self._fields.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ModelError(f"config.json: {name} is {value!r}, but has to be a whole number")
        return value

    def positive(self, name: str) -> int:
        value = self.whole(name)
        if value < 1:
            raise ModelError(f"config.json: {name} is {value}, but has to be at least 1")
        return value


def _refuse_unknown_parts(fields: Mapping[str, Any]) -> None:
    """Refuse what would make the graph another model than the checkpoint is."""
    hidden = fields.get("hidden_size")
    expected: dict[str, tuple[Any, ...]] = {
        "model_type": ("deberta-v2",),
        "relative_attention": (True,),
        "conv_kernel_size": (0, None),
        "type_vocab_size": (0,),
        "norm_rel_ebd": ("none", "layer_norm"),
        "hidden_act": ACTIVATIONS,
        "pooler_hidden_act": ACTIVATIONS,
        "embedding_size": (hidden, None),
        "pooler_hidden_size": (hidden, None),
    }
    for name, known in expected.items():
        if fields.get(name) not in known:
            raise ModelError(
                f"config.json: {name} is {fields.get(name)!r}, which can't be built; it can be "
                f"{' or '.join(map(repr, known))}. Export the model to ONNX with its own tools instead"
            )


def _position_parts(value: object) -> frozenset[str]:
    """Read pos_att_type, a list or a string such as "p2c|c2p"."""
    names = value.split("|") if isinstance(value, str) else value
    parts = frozenset(str(name).strip().lower() for name in names) if isinstance(names, (list, tuple)) else None
    if not parts or not parts <= _POSITION_PARTS:
        raise ModelError(f"config.json: pos_att_type is {value!r}, but has to be c2p, p2c or both")
    return parts


def _labels(value: object) -> tuple[str, ...]:
    """Read id2label, whose keys are the numbers from 0 as strings."""
    if not isinstance(value, dict):
        raise ModelError(
            "config.json: id2label is missing, so nobody knows what the model's outputs mean: add it, as in "
            '{"0": "entailment", "1": "neutral", "2": "contradiction"}'
        )
    try:
        by_place = {int(place): label for place, label in value.items()}
    except ValueError as error:
        raise ModelError(f"config.json: id2label has keys that are no numbers: {sorted(value)}") from error
    if not by_place or sorted(by_place) != list(range(len(by_place))):
        raise ModelError(f"config.json: id2label has to number the labels from 0 on, not {sorted(by_place)}")
    return tuple(str(by_place[place]) for place in range(len(by_place)))


def _epsilon(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0 < value < 1:
        raise ModelError(f"config.json: layer_norm_eps is {value!r}, but has to be between 0 and 1")
    return float(value)
