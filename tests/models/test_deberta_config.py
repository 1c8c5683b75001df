from __future__ import annotations

from typing import Any

import pytest

from groundwire.models.deberta_config import DebertaConfig
from groundwire.schemas.errors import ModelError

V3_BASE: dict[str, Any] = {
    "model_type": "deberta-v2",
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "hidden_act": "gelu",
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
    "vocab_size": 128100,
    "layer_norm_eps": 1e-07,
    "relative_attention": True,
    "max_relative_positions": -1,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
    "pooler_hidden_size": 768,
    "pooler_hidden_act": "gelu",
    "id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"},
}


def test_the_published_v3_base_is_read() -> None:
    config = DebertaConfig.from_json(V3_BASE)
    assert config == DebertaConfig(
        vocabulary=128100,
        hidden=768,
        layers=12,
        heads=12,
        intermediate=3072,
        labels=("contradiction", "entailment", "neutral"),
    )
    assert (config.head_size, config.position_span) == (64, 256)


def test_labels_are_ordered_by_their_number() -> None:
    ids = {str(number): f"label {number}" for number in reversed(range(12))}
    assert DebertaConfig.from_json(V3_BASE | {"id2label": ids}).labels == tuple(f"label {n}" for n in range(12))


def test_without_buckets_a_distance_has_a_row_of_its_own() -> None:
    config = DebertaConfig.from_json(V3_BASE | {"position_buckets": -1, "max_relative_positions": 128})
    assert config.position_span == 128


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_type", "deberta"),
        ("model_type", "bert"),
        ("conv_kernel_size", 3),
        ("type_vocab_size", 2),
        ("relative_attention", False),
        ("norm_rel_ebd", "batch_norm"),
        ("hidden_act", "swish"),
        ("pooler_hidden_act", "gelu_new"),
        ("embedding_size", 128),
        ("pooler_hidden_size", 1024),
        ("pos_att_type", ["p2p"]),
        ("pos_att_type", []),
        ("pos_att_type", None),
        ("hidden_size", 769),
        ("hidden_size", "768"),
        ("num_hidden_layers", 0),
        ("num_attention_heads", True),
        ("attention_head_size", 32),
        ("vocab_size", None),
        ("layer_norm_eps", 0),
        ("layer_norm_eps", "small"),
        ("id2label", None),
        ("id2label", {}),
        ("id2label", {"1": "entailment"}),
        ("id2label", {"zero": "entailment"}),
    ],
)
def test_what_can_not_be_built_is_refused_by_name(field: str, value: object) -> None:
    # hidden_size stands for the sizes that have to equal it
    with pytest.raises(ModelError, match=field.replace("attention_head_size", "hidden_size")):
        DebertaConfig.from_json(V3_BASE | {"pooler_hidden_size": None} | {field: value})


@pytest.mark.parametrize("field", ["model_type", "hidden_size", "vocab_size", "id2label", "relative_attention"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(ModelError, match=field):
        DebertaConfig.from_json({name: value for name, value in V3_BASE.items() if name != field})
