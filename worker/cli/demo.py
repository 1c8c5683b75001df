"""`groundwire demo`: sample jobs through a real server, intake and worker."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import report_error
from groundwire.worker.demo.children import DemoFailedError
from groundwire.worker.demo.run import run_demo

if TYPE_CHECKING:
    from argparse import Namespace


def run(args: Namespace) -> int:
    """Run the demo; when a process of it fails, show the end of its log."""
    try:
        run_demo(environment(args), Path(args.output))
    except DemoFailedError as error:
        print(error.logs, file=sys.stderr)
        report_error(str(error))
        return Exit.WORK_FAILED
    return Exit.OK
