"""The flags of `groundwire evaluate`."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from groundwire.schemas import MetricName, ProfileName
from groundwire.worker.cli.arguments import metric_names, queue_flags, seconds

if TYPE_CHECKING:
    from argparse import ArgumentParser

DEFAULT_TOLERANCE = 0.02
"""Two points of a hundred: what regression gates of RAG systems commonly allow."""

RESULT_SECONDS = 120.0
"""How long `--via-queue` waits for a result: a cold worker that builds its model first takes about a minute."""

GATE_FLAGS = ("metrics", "slo", "baseline", "tolerance", "sink", "via_queue", "timeout")
"""What says nothing where people's labels are measured."""

MAX_PROCESSES = 256
"""As many as a worker may have."""


def evaluate(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire evaluate`."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="JSONL, plain or gzipped, one row a line with query, contexts, answer; several with --labels",
    )
    parser.add_argument(
        "--labels", metavar="FIELD", help="measure the verdict: the field that holds people's labels on each answer"
    )
    parser.add_argument(
        "--profile",
        choices=[str(name) for name in ProfileName],
        default=ProfileName.EVIDENCE.value,
        metavar="NAME",
        help=f"which verdict to measure: {', '.join(ProfileName)} (default: %(default)s)",
    )
    parser.add_argument(
        "--output", metavar="DIR", help="write report.json, report.md and more there; with --labels, plots too"
    )
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument(
        "--texts",
        action="store_true",
        default=None,
        help="with --labels: quote sentences and evidence in report.json too, not in report.md alone",
    )
    texts.add_argument("--no-texts", dest="texts", action="store_false", help="quote none anywhere")
    parser.add_argument("--sample", type=_positive, metavar="N", help="draw so many rows of each file")
    parser.add_argument(
        "--seed",
        type=_whole,
        default=0,
        metavar="S",
        help="what samples and resamples are drawn by (default: %(default)s)",
    )
    parser.add_argument(
        "--processes",
        type=_processes,
        default=0,
        metavar="N",
        help="processes that score, with a thread each; 0: one for each processor to use (default: %(default)s)",
    )
    parser.add_argument(
        "--model",
        dest="GROUNDWIRE_MODEL",
        metavar="NAME",
        help="one that `models list` shows, an id on the Hub, a folder or an ONNX file [GROUNDWIRE_MODEL]",
    )
    _gate(parser)


def _gate(parser: ArgumentParser) -> None:
    """Add the flags of the gate, which goes without labels. Without a value each is None, see `GATE_FLAGS`."""
    group = parser.add_argument_group("release gate, without --labels")
    group.add_argument(
        "--metrics",
        type=metric_names,
        metavar="NAMES",
        help=f"what to compute, separated by commas, out of {', '.join(MetricName)} (default: all; completeness if "
        "rows have a reference_answer)",
    )
    group.add_argument("--slo", metavar="FILE", help="TOML with a [minimum] for metrics, and whom to tell of a failure")
    group.add_argument(
        "--baseline", metavar="FILE", help="report.json of an earlier run, which no metric may drop below"
    )
    group.add_argument(
        "--tolerance",
        type=_share,
        metavar="X",
        help=f"how far a metric may drop below the baseline (default: {DEFAULT_TOLERANCE})",
    )
    group.add_argument("--sink", metavar="FILE", help="write a line for each row and metric to a .jsonl or .parquet")
    group.add_argument(
        "--via-queue", action="store_const", const=True, help="let the running workers score, instead of this machine"
    )
    group.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help=f"with --via-queue: how long to wait for the next result (default: {RESULT_SECONDS:g})",
    )
    queue_flags(parser)


def _share(text: str) -> float:
    """Read a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return value


def _whole(text: str) -> int:
    """Read a whole number from 0."""
    # int() takes "1_0" and other scripts' digits as well
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"{text!r} is no whole number from 0")
    return int(text)


def _positive(text: str) -> int:
    value = _whole(text)
    if value == 0:
        raise ArgumentTypeError("0 can't be used; give a whole number from 1")
    return value


def _processes(text: str) -> int:
    value = _whole(text)
    if value > MAX_PROCESSES:
        raise ArgumentTypeError(f"{value} can't be used; give a whole number from 0 to {MAX_PROCESSES}")
    return value
