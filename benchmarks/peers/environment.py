"""The peers' own virtual environment, so that none of their packages comes near Groundwire's."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
STAMP = ".installed"
"""Holds the hash of the requirements that an environment was made from; comes last."""


class PeersMissingError(Exception):
    """The peers can't be measured; the message says why."""


def peers_python(folder: Path) -> Path:
    """Give the Python of the peers' environment, which is made first where it isn't there or has other versions.

    Args:
        folder: Where it lies or is to lie.

    Raises:
        PeersMissingError: It can't be made, as where no package registry can be reached.
    """
    python = folder / "bin" / "python"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    stamp = folder / STAMP
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(REQUIREMENTS))
    stamp.write_text(wanted)
    return python


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise PeersMissingError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise PeersMissingError(lines[-1] if lines else f"{command[0]} ended with exit code {done.returncode}")
