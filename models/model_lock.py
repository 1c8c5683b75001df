"""The lock file beside a pulled model: which commit it is of, and the size and SHA-256 of each of its files."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from groundwire.models.atomic_files import write_atomically
from groundwire.models.embedded import file_sha256
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

LOCK_FILE = "groundwire.lock.json"
SHOWN_DIGITS = 12
"""Digits of a hash in a message: enough to tell two files apart."""

_VERSION = 1


@dataclass(frozen=True)
class LockedFile:
    """What a file was when it was pulled."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class ModelLock:
    """Where the files of a folder come from, and what they are.

    Attributes:
        model: Its id on the Hub, `owner/name`.
        revision: The branch, tag or commit that was asked for.
        commit: The commit that this was.
        files: Each file by its path in the folder.
    """

    model: str
    revision: str
    commit: str
    files: dict[str, LockedFile]


def write_lock(folder: Path, lock: ModelLock) -> None:
    """Write a folder's lock file."""
    content = {"version": _VERSION} | asdict(lock)
    write_atomically(folder / LOCK_FILE, (json.dumps(content, indent=1) + "\n").encode())


def read_lock(folder: Path) -> ModelLock | None:
    """Read a folder's lock file; None where there is none.

    Raises:
        ModelError: It is damaged.
    """
    path = folder / LOCK_FILE
    try:
        return _parsed(json.loads(path.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ModelError(f"{path}: can't be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"{path}: damaged ({type(error).__name__}: {error}); pull the model again: groundwire models pull"
        ) from error


def _parsed(content: dict[str, Any]) -> ModelLock:
    if content["version"] != _VERSION:
        raise ValueError(f"version {content['version']}")
    files = {str(name): LockedFile(str(f["sha256"]), int(f["bytes"])) for name, f in content["files"].items()}
    return ModelLock(str(content["model"]), str(content["revision"]), str(content["commit"]), files)


def check_lock(folder: Path, lock: ModelLock) -> None:
    """Compare every locked file with what it was when it was pulled.

    Raises:
        ModelError: One is missing, of another size or altered.
    """
    for name, expected in lock.files.items():
        path = folder / name
        problem = _problem(path, expected)
        if problem:
            raise ModelError(
                f"{path}: {problem}; expected SHA-256 {expected.sha256[:SHOWN_DIGITS]}… (commit "
                f"{lock.commit[:SHOWN_DIGITS]} of {lock.model}); pull it again: groundwire models pull --model "
                f"{lock.model} --revision {lock.revision}"
            )


def _problem(path: Path, expected: LockedFile) -> str | None:
    try:
        size = path.stat().st_size
        actual = file_sha256(path)
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"can't be read ({error.strerror})"
    if size < expected.bytes:
        return f"truncated to {size:,} of {expected.bytes:,} bytes, its SHA-256 is {actual[:SHOWN_DIGITS]}…"
    return None if actual == expected.sha256 else f"altered, its SHA-256 is {actual[:SHOWN_DIGITS]}…"
