"""From text to numbers: the NLI engine, relevance, the sentence splitters and the catalogue of models.

Importing this package loads neither onnxruntime nor spaCy nor onnx: what needs them loads them when it is loaded.
"""

from groundwire.models.build_cache import build_embedded
from groundwire.models.calibration import Calibration
from groundwire.models.catalogue import EMBEDDED, entries, lookup, resolve
from groundwire.models.head import LABELS
from groundwire.models.known_models import CatalogueEntry
from groundwire.models.model_files import ModelFiles
from groundwire.models.nli_engine import NliEngine
from groundwire.models.pair_cache import Answers
from groundwire.models.relevance import EmbeddingRelevance, Relevance, load_relevance
from groundwire.models.rule_splitter import RuleSplitter
from groundwire.models.sentences import Span, Splitter
from groundwire.models.spacy_splitter import SpacySplitter
from groundwire.models.threads import available_cpus, threads_per_process

__all__ = [
    "EMBEDDED",
    "LABELS",
    "Answers",
    "Calibration",
    "CatalogueEntry",
    "EmbeddingRelevance",
    "ModelFiles",
    "NliEngine",
    "Relevance",
    "RuleSplitter",
    "SpacySplitter",
    "Span",
    "Splitter",
    "available_cpus",
    "build_embedded",
    "entries",
    "load_relevance",
    "lookup",
    "resolve",
    "threads_per_process",
]
