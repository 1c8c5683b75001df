"""The flags of each command. A flag that stands for a setting has the setting's variable as its destination."""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from groundwire.schemas import DeadReason, MetricName, ProfileName

if TYPE_CHECKING:
    from argparse import Namespace

WAIT_SECONDS = 300.0
"""How long `submit --wait` waits in all: a cold worker that builds its model first takes about a minute."""

HEARTBEAT_SECONDS = 60.0
"""Age at which a heartbeat counts as stale; one is written every few seconds."""


SECONDS_OF = {"s": 1, "m": 60, "h": 3600, "d": 86400}

_AGO = re.compile(r"(?P<number>\d{1,9})(?P<unit>[smhd])", re.ASCII)
_ENTRY = re.compile(r"\d{1,20}(-\d{1,20})?", re.ASCII)


def environment(args: Namespace) -> dict[str, str]:
    """The process's environment with the flags given on top, for `from_env` of the settings."""
    flags = {name: value for name, value in vars(args).items() if name.startswith("GROUNDWIRE_") and value is not None}
    return os.environ | flags


def score(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire score`."""
    _jobs_file(parser)
    parser.add_argument(
        "--profile",
        choices=[str(name) for name in ProfileName],
        metavar="NAME",
        help="score every job with this profile, whatever it names: " + ", ".join(ProfileName),
    )
    parser.add_argument(
        "--metrics",
        type=metric_names,
        metavar="NAMES",
        help="compute these metrics for every job, separated by commas: " + ", ".join(MetricName),
    )
    parser.add_argument(
        "--exhaustive",
        dest="GROUNDWIRE_EXHAUSTIVE",
        action="store_const",
        const="true",
        help="hold every sentence against all its premises, also after one entails it for sure: slower, with the same "
        "labels, and the highest probability of entailment that there is [GROUNDWIRE_EXHAUSTIVE]",
    )
    _setting(parser, "--threads", "N", "threads of the model; 0: as many as there are processors to use")


def submit(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire submit`."""
    _jobs_file(parser)
    parser.add_argument("--wait", action="store_true", help="wait for the results and print them as JSONL")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=WAIT_SECONDS,
        metavar="SECONDS",
        help="give up waiting after this time; exit code 1 (default: %(default)g)",
    )
    parser.add_argument("--json", action="store_true", help="print the ids as JSONL")
    _setting(parser, "--max-backlog", "N", "jobs on a stream from which on it takes no more; 0: no bound")
    _setting(parser, "--on-full", "WHAT", "refuse: stop then, with exit code 1; drop: drop the job, and count it")
    queue_flags(parser)


def worker(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire worker`."""
    _setting(parser, "--concurrency", "N", "processes that score; 0: one for each processor to use")
    _setting(parser, "--threads", "N", "threads of the model in each of them; 0: what the processors allow")
    # for the worker's own use, after it has built the model
    parser.add_argument("--built", action="store_true", help=SUPPRESS)
    _log_level(parser)
    queue_flags(parser)


def intake(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire intake`."""
    _log_level(parser)
    queue_flags(parser)


def results(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire results`."""
    parser.add_argument("--trace", metavar="ID", help="those of one trace only")
    parser.add_argument("--follow", action="store_true", help="go on with new ones until Ctrl-C")
    parser.add_argument(
        "--after",
        type=_entry_or_end,
        default="0",
        metavar="ENTRY",
        help="start after this entry of the stream; $: with new ones only",
    )
    parser.add_argument("--json", action="store_true", help="print each result as a line of JSON")
    queue_flags(parser)


def status(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire status`."""
    parser.add_argument("--json", action="store_true", help="print everything as one line of JSON")
    bounds = parser.add_argument_group("bounds, for scripts: exit code 1 when one is passed")
    bounds.add_argument("--max-backlog", type=_count, metavar="N", help="jobs without a result, on both streams")
    bounds.add_argument("--max-age", type=seconds, metavar="SECONDS", help="age of the oldest of them")
    bounds.add_argument("--max-dead", type=_count, metavar="N", help="dead letters")
    bounds.add_argument("--min-workers", type=_count, metavar="N", help="running workers")
    queue_flags(parser)


def combine(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire combine`."""
    parser.add_argument("--once", action="store_true", help="join the results that there are, then end")
    parser.add_argument("--json", action="store_true", help="print each composite as a line of JSON")
    _setting(parser, "--weights", "NAME=N,...", "weights of the metrics, as in faithfulness=0.4,groundedness=0.2")
    parser.add_argument(
        "--wait",
        dest="GROUNDWIRE_COMBINE_WAIT_S",
        metavar="SECONDS",
        help="how long to wait for the other results of a span (default: 30) [GROUNDWIRE_COMBINE_WAIT_S]",
    )
    _log_level(parser)
    queue_flags(parser)


def dead(parser: ArgumentParser) -> None:
    """Add the actions of `groundwire dead` and their flags."""
    actions = parser.add_subparsers(dest="action", metavar="list|show|replay|purge", required=True)
    listing = actions.add_parser("list", help="one line for each, oldest first", allow_abbrev=False)
    listing.add_argument("--json", action="store_true", help="print each as a line of JSON")
    show = actions.add_parser("show", help="everything about one, with its payload", allow_abbrev=False)
    show.add_argument("entry", type=_entry, metavar="ENTRY", help="its id, as `dead list` shows it")
    replay = actions.add_parser("replay", help="put it onto the jobs stream again", allow_abbrev=False)
    which = replay.add_mutually_exclusive_group(required=True)
    which.add_argument("entry", type=_entry, metavar="ENTRY", nargs="?", help="its id, as `dead list` shows it")
    which.add_argument("--all", action="store_true", help="all that still have their payload")
    purge = actions.add_parser("purge", help="remove all, or those that the flags name", allow_abbrev=False)
    purge.add_argument("--yes", action="store_true", help="do it; without this flag they are counted and stay")
    for action in (listing, purge):
        action.add_argument(
            "--reason",
            choices=[str(reason) for reason in DeadReason],
            metavar="NAME",
            help="only those with this reason: " + ", ".join(DeadReason),
        )
        action.add_argument(
            "--older-than",
            type=seconds,
            default=0.0,
            metavar="SECONDS",
            help="only those that became dead letters so long ago",
        )
    for action in (listing, show, replay, purge):
        queue_flags(action)


def rescore(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire rescore`."""
    parser.add_argument(
        "--since",
        type=_moment,
        required=True,
        metavar="WHEN",
        help="jobs whose result came then or later: a time such as 2026-11-30T12:00:00Z, or how long ago, such as 90m, "
        "24h or 7d",
    )
    parser.add_argument(
        "--profile",
        choices=[str(name) for name in ProfileName],
        metavar="NAME",
        help="score them with this profile instead of their own: " + ", ".join(ProfileName),
    )
    queue_flags(parser)


def models(parser: ArgumentParser) -> None:
    """Add the actions of `groundwire models` and their flags."""
    actions = parser.add_subparsers(dest="action", metavar="list|pull|build|verify", required=True)
    actions.add_parser("list", help="the models that there are, with licence and accuracy", allow_abbrev=False)
    pull = actions.add_parser("pull", help="download a model of the Hugging Face Hub", allow_abbrev=False)
    build = actions.add_parser("build", help="build a model into the cache, where it is not there", allow_abbrev=False)
    verify = actions.add_parser(
        "verify", help="check a model's files against their hashes, and its answers against fp32", allow_abbrev=False
    )
    for action in (pull, build, verify):
        _setting(action, "--model", "NAME", "one that `models list` shows, an id on the Hub, a folder or an ONNX file")
    pull.add_argument("--revision", metavar="NAME", help="branch, tag or commit (default: main)")


def schema(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire schema`."""
    parser.add_argument("which", nargs="?", choices=("job", "result"), help="one of them; both when left out")


def health(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire health`."""
    parser.add_argument(
        "--max-age",
        type=seconds,
        default=HEARTBEAT_SECONDS,
        metavar="SECONDS",
        help="age at which the heartbeat counts as stale (default: %(default)g)",
    )
    _setting(parser, "--heartbeat-file", "PATH", "the file that the worker or intake touches; none: only the queue")
    queue_flags(parser)


def demo(parser: ArgumentParser) -> None:
    """Add the flags of `groundwire demo`."""
    parser.add_argument(
        "--output", default="out", metavar="DIR", help="where results and logs go (default: %(default)s)"
    )
    _setting(parser, "--redis-url", "URL", "a Redis server to use; none: one is started for the run")


def _jobs_file(parser: ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="JSONL, one job a line; -: standard input")


def queue_flags(parser: ArgumentParser) -> None:
    """Add the flags that say where the queue is."""
    _setting(parser, "--redis-url", "URL", "the Redis server (default: redis://localhost:6379/0)")
    _setting(parser, "--prefix", "TEXT", "what the names of all keys begin with (default: {groundwire}:)")


def _log_level(parser: ArgumentParser) -> None:
    _setting(parser, "--log-level", "NAME", "DEBUG, INFO, WARNING or ERROR")


def _setting(parser: ArgumentParser, flag: str, metavar: str, meaning: str) -> None:
    variable = "GROUNDWIRE_" + flag.removeprefix("--").replace("-", "_").upper()
    parser.add_argument(flag, dest=variable, metavar=metavar, help=f"{meaning} [{variable}]")


def metric_names(text: str) -> tuple[MetricName, ...]:
    """Read names separated by commas; one that comes again counts once."""
    known = ", ".join(MetricName)
    try:
        return tuple(dict.fromkeys(MetricName(name.strip()) for name in text.split(",")))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} names a metric that there is not; there are: {known}") from None


def _entry(text: str) -> str:
    """Check the form of a stream entry's id."""
    if not _ENTRY.fullmatch(text):
        raise ArgumentTypeError(f"{text!r} is no id of a stream entry; one looks like 1764518401234-0")
    return text


def _entry_or_end(text: str) -> str:
    return text if text == "$" else _entry(text)


def _moment(text: str) -> int:
    """Read a time, or how long ago it was, as milliseconds since 1970."""
    ago = _AGO.fullmatch(text)
    try:
        if ago is not None:
            moment = datetime.now(UTC) - timedelta(seconds=int(ago["number"]) * SECONDS_OF[ago["unit"]])
        else:
            moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return max(0, int(moment.timestamp() * 1000))
    except (ValueError, OverflowError):
        problem = f"{text!r} is no time; give one such as 2026-11-30T12:00:00Z, in UTC if it says nothing else, or 24h"
        raise ArgumentTypeError(problem) from None


def _count(text: str) -> int:
    """Read a whole number from 0 on."""
    if not (text.isascii() and text.isdecimal()):
        raise ArgumentTypeError(f"{text!r} is no count; give a whole number from 0 on")
    return int(text)


def seconds(text: str) -> float:
    """Read a time that is a finite number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise ArgumentTypeError(f"{text!r} is no time in seconds; give a number above 0")
    return value
