"""The flags of `groundwire evaluate`."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from groundwire.schemas import ProfileName

if TYPE_CHECKING:
    from argparse import ArgumentParser

MAX_PROCESSES = 256
"""As many as a worker may have."""


def evaluate(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire evaluate`."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="labelled JSONL, plain or gzipped, one row a line with context, response",
    )
    parser.add_argument("--labels", required=True, metavar="FIELD", help="the field that holds people's labels")
    parser.add_argument(
        "--profile",
        choices=[str(name) for name in ProfileName],
        default=ProfileName.EVIDENCE.value,
        metavar="NAME",
        help=f"which verdict to measure: {', '.join(ProfileName)} (default: %(default)s)",
    )
    parser.add_argument(
        "--output", metavar="DIR", help="write report.json, report.md and plots there; needs groundwire[evaluate]"
    )
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument(
        "--texts",
        action="store_true",
        default=None,
        help="quote sentences and evidence in report.json too, not in report.md alone",
    )
    texts.add_argument("--no-texts", dest="texts", action="store_false", help="quote none in report.md either")
    parser.add_argument("--sample", type=_positive, metavar="N", help="draw so many rows of each file")
    parser.add_argument(
        "--seed", type=_whole, default=0, metavar="S", help="what the sample is drawn by (default: %(default)s)"
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
