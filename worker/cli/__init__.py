"""The command line: `groundwire COMMAND`.

`parser` describes every command and imports nothing heavy, `entry` picks the command's own module and imports that
alone. So help, and every command that needs no model, works on the base install.
"""

from groundwire.worker.cli.entry import main

__all__ = ["main"]
