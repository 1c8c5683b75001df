"""From the command line's words to one command's exit code; every error ends as one line."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from groundwire.schemas import GroundwireError
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.parser import build_parser
from groundwire.worker.cli.plain import report_error

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence


class _CommandModule(Protocol):
    """What the module of a command offers."""

    def run(self, args: Namespace) -> int:
        """Do the work and return the exit code."""
        ...


def run_command(argv: Sequence[str] | None) -> int:
    """Run one command and return its exit code, see `groundwire.worker.cli.main`, which also handles Ctrl-C."""
    if isinstance(sys.stdout, TextIOWrapper):
        # JSON is UTF-8, whatever the locale says
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes standard output once more on its way out, which would fail again, aloud.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.READER_GONE
    except GroundwireError as error:
        return _fail(str(error), Exit.BAD_INPUT)
    except OSError as error:
        return _fail(f"{error.filename or 'input or output'}: {error.strerror or error}", Exit.WORK_FAILED)
    except Exception as error:
        # the last resort: a user gets a line to report, not a traceback
        if os.environ.get("GROUNDWIRE_TRACEBACK"):
            raise
        return _fail(_unexpected(error), Exit.WORK_FAILED)
    return code


def _run(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.version:
        print(f"groundwire {version('groundwire')}")
        return Exit.OK
    if args.command is None:
        parser.print_help(sys.stderr)
        return Exit.BAD_INPUT
    try:
        module = cast("_CommandModule", import_module(f"groundwire.worker.cli.{args.command}"))
    except ModuleNotFoundError as error:
        raise _missing(args, error) from error
    return module.run(args)


def _missing(args: Namespace, error: ModuleNotFoundError) -> Exception:
    """The error that says which extra to install; a module of our own that is missing stays what it is."""
    package = (error.name or "").partition(".")[0]
    if package in ("", "groundwire"):
        return error
    advice = f"install it with: pip install 'groundwire[{args.extra}]'"
    return GroundwireError(f"groundwire {args.command} needs the package {package}, which is not installed; {advice}")


def _fail(message: str, code: Exit) -> Exit:
    report_error(message)
    return code


def _unexpected(error: Exception) -> str:
    """Kind and place of an error that nobody foresaw; its message may hold text of an answer and is kept back."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else ""
    advice = "this is a fault in Groundwire; run it again with GROUNDWIRE_TRACEBACK=1 and report what it prints"
    return f"{type(error).__name__}{place}: {advice}"
