"""Published DeBERTa-v3 NLI models that Groundwire knows by name, as their cards describe them.

Numbers and licences are those of the models' cards on the Hub; sizes those of the cards of the encoders by Microsoft
that they were fine-tuned from. What a card doesn't state is left out. Label orders are for information: what counts is
the id2label of the model that is pulled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundwire.models.head import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

PARAMETERS = {"xsmall": 70, "small": 142, "base": 184, "large": 435}
"""Millions of weights of each size: 22, 44, 86 and 304 of the backbone, 48, 98, 98 and 131 of the embedding."""


HUB = "https://huggingface.co/"
SENTENCE_TRANSFORMERS_ORDER = ("contradiction", "entailment", "neutral")


@dataclass(frozen=True)
class CatalogueEntry:
    """What is known of a model before it is loaded.

    Attributes:
        name: What GROUNDWIRE_MODEL calls it; its id on the Hub.
        description: One line on what it is and is for.
        source: Where its weights come from, and what is stated of them.
        licence: SPDX identifier of the weights' licence, or what stands in its place.
        parameters: Millions of its weights.
        labels: Order of the labels in its own outputs; Groundwire's is always LABELS.
        accuracy: Share of right labels on sets of labelled pairs, by the set's name, as its source states it.
        unusable: Why Groundwire can't run it; None if it can.
    """

    name: str
    description: str
    source: str
    licence: str
    parameters: int
    labels: tuple[str, ...]
    accuracy: Mapping[str, float] = field(default_factory=dict)
    unusable: str | None = None


def _cross_encoder(size: str, snli: float, mnli: float) -> CatalogueEntry:
    name = f"cross-encoder/nli-deberta-v3-{size}"
    return CatalogueEntry(
        name=name,
        description=f"DeBERTa-v3-{size} fine-tuned on SNLI and MultiNLI by Sentence Transformers",
        source=HUB + name,
        licence="Apache-2.0",
        parameters=PARAMETERS[size],
        labels=SENTENCE_TRANSFORMERS_ORDER,
        accuracy={"snli test": snli, "mnli mismatched": mnli},
    )


KNOWN_MODELS = (
    _cross_encoder("xsmall", 0.9164, 0.8777),
    _cross_encoder("small", 0.9165, 0.8755),
    _cross_encoder("base", 0.9238, 0.9004),
    _cross_encoder("large", 0.9220, 0.9049),
    CatalogueEntry(
        name="MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli",
        description="DeBERTa-v3-base fine-tuned on MultiNLI, FEVER-NLI and ANLI",
        source=HUB + "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli",
        licence="MIT",
        parameters=PARAMETERS["base"],
        labels=LABELS,
        accuracy={
            "mnli matched": 0.903,
            "mnli mismatched": 0.903,
            "fever-nli dev": 0.777,
            "anli": 0.579,
            "anli round 3": 0.495,
        },
    ),
    CatalogueEntry(
        name="MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli",
        description="DeBERTa-v3-large fine-tuned on MultiNLI, FEVER-NLI, ANLI, LingNLI and WANLI",
        source=HUB + "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli",
        licence="MIT",
        parameters=PARAMETERS["large"],
        labels=LABELS,
        accuracy={
            "mnli matched": 0.912,
            "mnli mismatched": 0.908,
            "anli": 0.702,
            "anli round 3": 0.64,
            "lingnli": 0.87,
            "wanli": 0.77,
        },
    ),
    CatalogueEntry(
        name="MoritzLaurer/DeBERTa-v3-xsmall-mnli-fever-anli-ling-binary",
        description="DeBERTa-v3-xsmall fine-tuned on MultiNLI, FEVER-NLI, ANLI and LingNLI with two labels",
        source=HUB + "MoritzLaurer/DeBERTa-v3-xsmall-mnli-fever-anli-ling-binary",
        licence="MIT",
        parameters=PARAMETERS["xsmall"],
        labels=("entailment", "not_entailment"),
        accuracy={"mnli matched, two labels": 0.925, "mnli mismatched, two labels": 0.922, "anli, two labels": 0.676},
        unusable="two labels, so it can't tell neutral from contradiction; cross-encoder/nli-deberta-v3-xsmall can",
    ),
)
