"""Makes a transformers checkpoint and its ONNX exports, as python -m peers.checkpoint FOLDER in the peers' environment.

Reads weights.npz, source-tokenizer.json and source.json of the folder, and writes beside them what
`CrossEncoder(folder)` loads, with onnx/model.onnx and onnx/model_int8.onnx, and report.json.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from optimum.exporters.onnx import main_export
from peers.export_scorer import FP32_FILE, INT8_FILE, ExportScorer
from peers.pair_texts import pair_texts
from tokenizers import Tokenizer
from transformers import DebertaV2Config, DebertaV2ForSequenceClassification, PreTrainedTokenizerFast

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Logits = NDArray[np.float32]

V3: dict[str, Any] = {
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
}
"""What all sizes of DeBERTa-v3 have in common."""

SETTINGS: dict[str, dict[str, Any]] = {
    "int8 weights, per channel, full range (avx512_vnni)": {"weight_type": QuantType.QInt8, "reduce_range": False},
    "uint8 weights, per channel, full range (avx2)": {"weight_type": QuantType.QUInt8, "reduce_range": False},
    "int8 weights, per channel, reduced range": {"weight_type": QuantType.QInt8, "reduce_range": True},
}
"""The usual ways of dynamic quantisation; names in brackets are optimum's."""

FP32_TOLERANCE = 1e-3
"""Of a logit: the same model in another order of additions stays well below, another model doesn't."""

LEAST_AGREEMENT = 0.9
"""With a smaller share of torch's labels a way of quantising doesn't count as one that works, however fast it is."""

TRIAL_LENGTH, TRIAL_BATCH, TRIAL_PAIRS, TRIALS = 128, 8, 16, 2
"""Ways of quantising are tried in the middle of the lengths, about a second each time; the fastest time counts."""

SPECIAL = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"} | {
    "mask_token": "[MASK]"
}


def write_checkpoint(folder: Path, source: dict[str, Any]) -> DebertaV2ForSequenceClassification:
    """Write model and tokenizer as transformers does; gives the model."""
    labels = dict(enumerate(source["labels"]))
    columns = {label: column for column, label in labels.items()}
    config = DebertaV2Config(**V3, **source["shape"], id2label=labels, label2id=columns)
    model = DebertaV2ForSequenceClassification(config).eval()
    with np.load(folder / "weights.npz") as weights:
        model.load_state_dict({name: torch.from_numpy(weights[name]) for name in model.state_dict()})
    definition = Tokenizer.from_file(str(folder / "source-tokenizer.json"))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=definition,
        model_max_length=V3["max_position_embeddings"],
        model_input_names=["input_ids", "attention_mask"],
        **SPECIAL,
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model


def torch_logits(model: DebertaV2ForSequenceClassification, folder: Path, pairs: list[list[str]]) -> Logits:
    """Give the model's logits for each pair, alone."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    rows = [torch.tensor([tokenizer.encode(*pair).ids]) for pair in pairs]
    with torch.inference_mode():
        found: Logits = torch.cat([model(input_ids=row).logits for row in rows]).numpy()
    return found


def measure_int8(folder: Path, threads: int) -> float:
    """Give pairs per second of the int8 export as it lies there."""
    scorer = ExportScorer(folder, INT8_FILE, threads)
    scorer.prepare(pair_texts(TRIAL_LENGTH, TRIAL_PAIRS, 0), TRIAL_BATCH)
    scorer.run()
    times = []
    for _ in range(TRIALS):
        start = time.perf_counter()
        scorer.run()
        times.append(time.perf_counter() - start)
    return TRIAL_PAIRS / min(times)


def main(folder: Path) -> None:
    """Make everything; raises ValueError when the fp32 export is not the same model."""
    source = json.loads((folder / "source.json").read_text(encoding="utf-8"))
    threads: int = source["threads"]
    torch.set_num_threads(threads)
    wanted = torch_logits(write_checkpoint(folder, source), folder, source["pairs"])
    main_export(str(folder), folder / "export", task="text-classification", do_validation=False)
    exact, chosen = folder / FP32_FILE, folder / INT8_FILE
    exact.parent.mkdir(exist_ok=True)
    shutil.move(folder / "export" / "model.onnx", exact)
    difference = float(np.abs(ExportScorer(folder, FP32_FILE, threads).logits(source["pairs"]) - wanted).max())
    if difference > FP32_TOLERANCE:
        raise ValueError(f"the fp32 export's logits differ from torch's by up to {difference:.2g}")
    ranked: dict[str, tuple[bool, float, float]] = {}
    kept = chosen.with_suffix(".best")
    for name, options in SETTINGS.items():
        quantize_dynamic(exact, chosen, per_channel=True, **options)
        labels = ExportScorer(folder, INT8_FILE, threads).logits(source["pairs"]).argmax(axis=1)
        agreement = float((labels == wanted.argmax(axis=1)).mean())
        ranked[name] = (agreement >= LEAST_AGREEMENT, measure_int8(folder, threads), agreement)
        if max(ranked, key=ranked.__getitem__) == name:
            chosen.replace(kept)
    best = max(ranked, key=ranked.__getitem__)
    kept.replace(chosen)
    report = {
        "key": source["key"],
        "labels": wanted.argmax(axis=1).tolist(),
        "fp32_difference": difference,
        "int8_setting": best,
        "int8_agreement": ranked[best][2],
        "tried": [f"{name}: {rate:.1f} pairs/s, labels {same:.0%}" for name, (_, rate, same) in ranked.items()],
    }
    (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
