"""The part of `make bench` that compares Groundwire with its peers: same machine, same weights, same pairs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from peers.answer_race import Side, compared_answers, judge_all, judge_compared
from peers.crew import Crew, CrewError, Layout
from peers.environment import PeersMissingError, peers_python
from peers.machine_rate import machine_int8_rate
from peers.model_files import PeerModel, make_peer_model
from peers.pair_race import OWN_BATCH, Contender, Race, note, race
from peers.report import EXPORT, GROUNDWIRE, print_answers, print_checks, print_pairs

from groundwire.models.threads import available_cpus

BUILD = Path(__file__).parents[2] / "build"
ENVIRONMENT, MODEL, LOGS = BUILD / "peers-venv", BUILD / "peers-model", BUILD / "peers-logs"

BATCHES = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured.

    Attributes:
        lengths: Tokens of the pairs.
        batches: Batch sizes that are tried, smallest first.
        trial_seconds: Length of a measurement while settings are sought, and of one of the int8 rate.
        round_seconds: Shortest time of a measurement that counts.
        rounds: How many of them, interleaved.
        answers: Whole answers that both sides judge.
        judges_all: Whether Groundwire judges all hundred as well.
    """

    lengths: tuple[int, ...]
    batches: tuple[int, ...]
    trial_seconds: float
    round_seconds: float
    rounds: int
    answers: int
    judges_all: bool


FULL = Effort((32, 64, 128, 256, 512), BATCHES, 0.4, 1.2, 3, 20, judges_all=True)
QUICK = Effort((64, 128), (1, 8), 0.1, 0.1, 1, 4, judges_all=False)


PEERS = {
    EXPORT: ("export_scorer", "onnx/model_int8.onnx"),
    "onnxruntime, fp32 export": ("export_scorer", "onnx/model.onnx"),
    "CrossEncoder, torch": ("cross_encoder", "torch"),
    "CrossEncoder, ONNX fp32": ("cross_encoder", "onnx-fp32"),
    "CrossEncoder, ONNX int8": ("cross_encoder", "onnx-int8"),
}
"""The peers, with module and first argument."""


def compare(effort: Effort, environment: Path = ENVIRONMENT) -> None:
    """Measure and print; where the peers' packages can't be installed, the reason and Groundwire alone."""
    cpus = max(1, int(available_cpus()))
    contenders = [Contender(GROUNDWIRE, "engine", _ours("engine"), (OWN_BATCH,))]
    python: Path | None = None
    try:
        note(f"installing the peers' packages into {environment}, where they aren't there yet")
        python = peers_python(environment)
        note("making checkpoint and exports of the embedded model")
        print_checks(*_checked_model(python, cpus))
        contenders += [
            Contender(name, f"{part}-{Path(word).stem}", _theirs(python, part, word), effort.batches)
            for name, (part, word) in PEERS.items()
        ]
    except PeersMissingError as missing:
        print(f"The peers can't be measured: {missing}")
    print()
    _pairs(contenders, effort, cpus)
    print()
    _answers(python if len(contenders) > 1 else None, effort, cpus)


def _ours(name: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "peers.ours", name)


def _theirs(python: Path, module: str, word: str) -> tuple[str, ...]:
    return (str(python), "-m", f"peers.{module}", word, str(MODEL))


def _checked_model(python: Path, cpus: int) -> tuple[PeerModel, float]:
    """Make the peers' model; gives it with the share of its pairs on which Groundwire's label is torch's."""
    model = make_peer_model(python, MODEL, cpus)
    with Crew(_ours("labels"), Layout(1, 1), LOGS / "labels.log") as crew:
        found: list[int] = crew.ask([{"do": "labels", "pairs": model.pairs}])[0]
    same = sum(label == wanted for label, wanted in zip(found, model.labels, strict=True))
    return model, same / len(found)


def _pairs(contenders: list[Contender], effort: Effort, cpus: int) -> None:
    layouts = tuple({Layout(1, cpus): None, Layout(cpus, 1): None})
    plan = Race(effort.lengths, layouts, effort.trial_seconds, effort.round_seconds, effort.rounds, LOGS)
    figures = race(contenders, plan)
    note("this machine's own int8 rate")
    rate = machine_int8_rate(_ours("int8-rate"), cpus, effort.trial_seconds, LOGS / "int8-rate.log")
    print_pairs(figures, effort.lengths, rate)


def _answers(python: Path | None, effort: Effort, cpus: int) -> None:
    note("whole answers: Groundwire")
    answers = compared_answers(effort.answers)
    layout = Layout(cpus, 1)
    ours = judge_compared(_ours("answers"), layout, LOGS / "answers.log", answers)
    every = judge_all(_ours("answers"), layout, LOGS / "answers.log") if effort.judges_all else None
    theirs: Side | None = None
    if python is not None:
        note("whole answers: the reference pipeline")
        try:
            theirs = judge_compared(
                _theirs(python, "cross_encoder", "reference"), Layout(1, 0), LOGS / "reference.log", answers
            )
        except CrewError as failure:
            print(f"The reference pipeline can't be measured: {failure}")
    print_answers(ours, theirs, every)
