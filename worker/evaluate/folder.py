"""The folder of a report."""

from __future__ import annotations

from pathlib import Path

from groundwire.schemas import SettingsError


def make_folder(path: str) -> Path:
    """Make the folder of a report, where it is not there yet.

    Raises:
        SettingsError: It can't be made. To be called before the work, which can take hours.
    """
    if not path:
        raise SettingsError("--output: is empty; name a folder that can be written to")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"--output {path}: {error.strerror}; name a folder that can be written to") from error
    return folder
