"""Every command's name, flags, summary and examples. Imports nothing that the base install lacks."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, NoReturn

from groundwire.schemas import GroundwireError
from groundwire.worker.cli import arguments, evaluate_arguments

if TYPE_CHECKING:
    from collections.abc import Callable

HELP_COLUMNS = 80
"""Width of prose in a help text: a terminal's least common one."""

DESCRIPTION = "Scores LLM answers for faithfulness to their retrieved context, without an LLM."

FOOTER = """\
exit codes:
  0 fine   1 something failed in the work   2 bad input, flags or settings
  3 a row of an evaluation could not be scored   130 Ctrl-C

Settings come from flags or from the environment: GROUNDWIRE_REDIS_URL, GROUNDWIRE_PREFIX and so on.
`groundwire COMMAND --help` shows a command's flags and more examples."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command as its help shows it.

    Attributes:
        name: What the user types, and the module of `groundwire.worker.cli` that does the work.
        summary: One line for the list of commands.
        examples: Command lines that work as they stand; the first one is shown in the list.
        arguments: Adds the command's flags to its parser.
        extra: The extra of the distribution that brings the packages that the command needs.
        details: More about the command, for its own help.
    """

    name: str
    summary: str
    examples: tuple[str, ...]
    arguments: Callable[[ArgumentParser], None]
    extra: str = "worker"
    details: str = ""


COMMANDS = (
    Command(
        "score",
        "score jobs from a JSONL file in this process, without a queue",
        (
            "groundwire score jobs.jsonl > results.jsonl",
            "cat jobs.jsonl | groundwire score - --profile original",
        ),
        arguments.score,
        details="Prints one result per job as a line of JSON. A line that can't be read is named on standard error, "
        "the others are scored, and the exit code is 2.",
    ),
    Command(
        "submit",
        "put jobs from a JSONL file onto the jobs stream",
        (
            "groundwire submit jobs.jsonl",
            "groundwire submit jobs.jsonl --wait --timeout 60 > results.jsonl",
        ),
        arguments.submit,
        details="Prints job id and trace id of each job, or with --wait its result as a line of JSON.",
    ),
    Command(
        "worker",
        "run a worker, which scores what the intake sends it",
        (
            "groundwire worker",
            "groundwire worker --concurrency 4 --redis-url redis://queue.internal:6379/0",
        ),
        arguments.worker,
        details="Builds the model first, where it is not built yet. SIGTERM lets running jobs end.",
    ),
    Command(
        "intake",
        "run the process that moves jobs from the streams to the workers",
        ("groundwire intake", "groundwire intake --redis-url redis://queue.internal:6379/0"),
        arguments.intake,
        details="Several may run at once.",
    ),
    Command(
        "results",
        "read results from the results stream",
        (
            "groundwire results",
            "groundwire results --trace 4bf92f3577b34da6 --json",
            "groundwire results --follow --json | jq .metrics.faithfulness.score",
        ),
        arguments.results,
    ),
    Command(
        "status",
        "show how many jobs wait, who works on them, and what came of them",
        (
            "groundwire status",
            "groundwire status --json | jq .backlog",
            "groundwire status --max-backlog 1000 --max-age 60 --min-workers 1",
        ),
        arguments.status,
        details="Exit code 1 when a bound is given and passed, and a line on standard error says which.",
    ),
    Command(
        "combine",
        "join the results of each span from several scorers into composites",
        (
            "groundwire combine",
            "groundwire combine --weights faithfulness=0.6,safety=0.4 --wait 60",
            "groundwire combine --once --json | jq .composite.score",
        ),
        arguments.combine,
        details="Reads the results stream and publishes to the composites stream. Several may run at once.",
    ),
    Command(
        "dead",
        "list, show, replay and remove the jobs that could not be scored",
        (
            "groundwire dead list",
            "groundwire dead show 1764518401234-0",
            "groundwire dead replay 1764518401234-0",
            "groundwire dead replay --all",
            "groundwire dead purge --reason not_json --older-than 86400 --yes",
        ),
        arguments.dead,
    ),
    Command(
        "rescore",
        "score jobs that were kept once more, with another profile or after an upgrade",
        ("groundwire rescore --since 24h --profile original", "groundwire rescore --since 2026-11-30T12:00:00Z"),
        arguments.rescore,
        details="Workers keep jobs only where GROUNDWIRE_KEEP_JOBS_S is set. The new results have ids of their own and "
        "name the old one in rescored_from.",
    ),
    Command(
        "models",
        "list, pull, build and verify models",
        (
            "groundwire models list",
            "groundwire models pull --model cross-encoder/nli-deberta-v3-base",
            "groundwire models verify --model cross-encoder/nli-deberta-v3-base",
        ),
        arguments.models,
        extra="embedded",
    ),
    Command(
        "evaluate",
        "hold a set of answers against a release gate, or measure the verdict against people's labels",
        (
            "groundwire evaluate answers.jsonl --output report",
            "groundwire evaluate answers.jsonl --slo slo.toml --baseline last/report.json --output report",
            "groundwire evaluate answers.jsonl --via-queue --sample 200 --sink scores.parquet",
            "groundwire evaluate labelled.jsonl.gz --labels supported --output report",
        ),
        evaluate_arguments.evaluate,
        extra="evaluate",
        details="Each row of a file has an answer (`response`, `response_text` or `answer`), its context (`context`, "
        "`contexts` or `rag_context`: a string or a list) and its `query` or `question`; with --labels also a label: "
        "true or false, 1 or 0, supported or unsupported. Exit code 0: passed, 1: the gate failed, 2: bad input, "
        "3: incomplete, as scores are missing or a row could not be scored.",
    ),
    Command(
        "schema",
        "print the JSON Schemas of job and result",
        ("groundwire schema job > job.schema.json", "groundwire schema"),
        arguments.schema,
    ),
    Command(
        "health",
        "tell whether the queue answers and a worker's or intake's heartbeat is fresh",
        ("groundwire health", "GROUNDWIRE_HEARTBEAT_FILE=/tmp/beat groundwire health --max-age 30"),
        arguments.health,
        details="Exit code 0 when it is well, 1 when it is not; made for a container's health check.",
    ),
    Command(
        "demo",
        "score sample jobs through a real server, intake and worker, and print a table",
        ("groundwire demo", "groundwire demo --output /tmp/groundwire-demo"),
        arguments.demo,
        extra="embedded",
        details="Starts a server of its own unless GROUNDWIRE_REDIS_URL is set, and stops everything that it started.",
    ),
)


class _Parser(ArgumentParser):
    """Raises instead of printing the usage: a wrong flag is one line like every other error."""

    def error(self, message: str) -> NoReturn:
        raise GroundwireError(f"{message}; `{self.prog} --help` lists what there is")


def build_parser() -> ArgumentParser:
    """Return the parser of the whole command line; its result holds `command`, `extra` and the command's flags."""
    parser = _Parser(
        "groundwire",
        description=f"{DESCRIPTION}\n\n{_list_of_commands()}",
        epilog=FOOTER,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
        usage="groundwire [--help] [--version] COMMAND ...",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", help=SUPPRESS, prog="groundwire")
    for command in COMMANDS:
        described = fill(f"{command.summary[0].upper()}{command.summary[1:]}. {command.details}", HELP_COLUMNS)
        sub = commands.add_parser(
            command.name,
            description=described,
            epilog="\n".join(["examples:", *(f"  {example}" for example in command.examples)]),
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.arguments(sub)
        sub.set_defaults(extra=command.extra)
    return parser


def _list_of_commands() -> str:
    lines = ["commands:"]
    for command in COMMANDS:
        lines += [f"  {command.name:<8} {command.summary}", f"             {command.examples[0]}"]
    return "\n".join(lines)
