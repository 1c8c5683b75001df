"""Prints what was compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peers.int8_rate import linear_operations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from peers.answer_race import Judged, Side
    from peers.model_files import PeerModel
    from peers.pair_race import PairFigures

GROUNDWIRE = "Groundwire, int8"
EXPORT = "onnxruntime, int8 export"

NAME, COLUMN = 28, 10
"""Widths of the tables."""

GIGA = 1e9


def print_checks(model: PeerModel, ours: float) -> None:
    """Print what the exports are worth before anything is timed."""
    print("The embedded model as a transformers checkpoint, exported to ONNX and quantised dynamically:")
    for line in model.tried:
        print(f"  {line}")
    print(f"  taken: {model.int8_setting}")
    print(f"  fp32 export against torch: largest difference of a logit {model.fp32_difference:.1e}")
    print(
        f"labels as torch's on {len(model.pairs)} pairs: Groundwire {ours:.0%}, int8 export {model.int8_agreement:.0%}"
    )


def print_pairs(figures: PairFigures, lengths: Sequence[int], int8_rate: tuple[float, str]) -> None:
    """Print pairs per second, ratios, settings and shares of the processor's int8 rate."""
    rates = figures.rates

    def block(title: str, names: Sequence[str], cell: Callable[[str, int], str]) -> None:
        print(f"{title:<{NAME}}" + "".join(f"{length:>{COLUMN}}" for length in lengths))
        for name in names:
            print(f"{name:<{NAME}}" + "".join(f"{cell(name, length):>{COLUMN}}" for length in lengths))
        print(flush=True)

    peers = [name for name in rates if name != GROUNDWIRE]
    block("pairs per second, by tokens", list(rates), lambda name, length: f"{rates[name][length]:.1f}")
    if peers and GROUNDWIRE in rates:
        block("Groundwire ÷", peers, lambda name, length: f"{rates[GROUNDWIRE][length] / rates[name][length]:.2f}")
    block("processes x threads, batch", list(rates), lambda name, length: str(figures.settings[name][length]))
    measured = [name for name in (GROUNDWIRE, EXPORT) if name in rates]
    block(
        "share of the int8 rate",
        measured,
        lambda name, length: f"{rates[name][length] * linear_operations(length) / int8_rate[0]:.0%}",
    )
    print(
        f"int8 rate of this machine: {int8_rate[0] / GIGA:.0f} billion operations a second, u8 x s8, all CPUs at once"
    )
    print(f"  the best of several: {int8_rate[1]}")
    print("  a pair's operations: 2 for each multiplication of the encoder's linear layers; attention between tokens,")
    print("  positions, embedding and head, which are the rest of the work, are not counted")
    for name, reason in figures.failures.items():
        print(f"{name} could not be measured: {reason}")


def print_answers(ours: Side, theirs: Side | None, every: Judged | None) -> None:
    """Print time and agreement of both sides on the same answers, and Groundwire's on all."""
    title = f"{ours.total.answers} whole answers, wall time"
    print(f"{title:<40}{'seconds':>10}{'shortest quarter':>20}{'labels right':>16}{'run as':>10}")
    _side("Groundwire, default profile", ours)
    if theirs is not None:
        _side("reference: all pieces, CrossEncoder torch", theirs)
        total = theirs.total.seconds / ours.total.seconds
        shortest = theirs.shortest.seconds / ours.shortest.seconds
        print(f"{'Groundwire is faster by':<40}{f'x {total:.1f}':>10}{f'x {shortest:.1f}':>20}")
    if every is not None:
        print(f"{f'Groundwire, all {every.answers}':<40}{every.seconds:>10.1f}{'':>20}{every.agreement:>16.1%}")
    print("  run as processes x threads; a process gets its next answer when it has judged one, as from a queue")


def _side(name: str, side: Side) -> None:
    total = side.total
    print(
        f"{name:<40}{total.seconds:>10.1f}{side.shortest.seconds:>20.2f}{total.agreement:>16.1%}{side.layout!s:>10}",
        flush=True,
    )
