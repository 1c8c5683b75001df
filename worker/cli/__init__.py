"""The command line: `groundwire COMMAND`.

`parser` describes every command and imports nothing heavy, `entry` picks the command's own module and imports that
alone. So help, and every command that needs no model, works on the base install.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130
"""Ctrl-C: 128 + SIGINT, as shells count."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The words after `groundwire`; the process's own when null.

    Returns:
        An exit code, see `groundwire.worker.cli.exit_codes`. Whatever goes wrong is one line on standard error, never a
        traceback, unless GROUNDWIRE_TRACEBACK is set.
    """
    try:
        # Importing takes a good part of a second, and Ctrl-C in that time must not end in a traceback either.
        return int(import_module("groundwire.worker.cli.entry").run_command(argv))
    except KeyboardInterrupt:
        return INTERRUPTED
