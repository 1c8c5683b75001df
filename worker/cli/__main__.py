"""`python -m groundwire.worker.cli`: the command line of the interpreter at hand, whatever is on the PATH."""

from __future__ import annotations

import sys

from groundwire.worker.cli import main

sys.exit(main())
