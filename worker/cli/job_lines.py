"""Jobs from JSONL, a line at a time, in bounded memory; what can't be read is named and passed over."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from groundwire.schemas import DeadReason, GroundwireError, InvalidJobError, parse_job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.schemas import Limits, ParsedJob

READ_BYTES = 64 * 1024
"""How much of a line that is too long is in memory at a time while its end is looked for."""

LINE_ENDS = b"\r\n"


@contextmanager
def open_jobs(path: str) -> Iterator[BinaryIO]:
    """Open a file of jobs; `-` is standard input.

    Raises:
        GroundwireError: when the file can't be opened.
    """
    if path == "-":
        if sys.stdin.isatty():
            print("reading jobs from the terminal, one JSON object a line; Ctrl-D ends them", file=sys.stderr)
        yield sys.stdin.buffer
        return
    with ExitStack() as opened:
        try:
            stream = opened.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise GroundwireError(f"{path}: {error.strerror}; name a JSONL file, or - for standard input") from error
        yield stream


class JobLines:
    """Iterates over the jobs of a stream as (line number from 1, parsed job).

    Blank lines are passed over. A byte order mark, CRLF and a last line without its end are taken as they come.

    Attributes:
        refused: How many lines could not be used so far.
    """

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._stream = stream
        self._limits = limits
        self.refused = 0

    def __iter__(self) -> Iterator[tuple[int, ParsedJob]]:
        number = 0
        while head := self._stream.readline(self._limits.max_job_bytes + len(LINE_ENDS)):
            number += 1
            if number == 1:
                head = head.removeprefix(BOM_UTF8)
            line = head.rstrip(LINE_ENDS)
            size = len(line)
            if not head.endswith(b"\n"):
                size += self._pass_over_rest()
            try:
                self._check_size(size)
                parsed = parse_job(line, self._limits) if line.strip() else None
            except InvalidJobError as error:
                self.refuse(number, error)
            except Exception as error:  # noqa: BLE001 - whatever a line does to the parser, the others go on
                # The message may quote the line, the kind of error may not.
                problem = f"{type(error).__name__} while the job was read; please report it as a bug of groundwire"
                self.refuse(number, InvalidJobError(DeadReason.SCORING_FAILED, "payload", problem))
            else:
                if parsed is not None:
                    yield number, parsed

    def refuse(self, number: int, error: InvalidJobError) -> None:
        """Name a line that can't be used, and what is wrong with it, on standard error."""
        self.refused += 1
        print(f"line {number}: {' '.join(str(error).split())}", file=sys.stderr)

    def _check_size(self, size: int) -> None:
        """Refuse a line that is too long as `parse_job` does, which never sees the whole of it."""
        limit = self._limits.max_job_bytes
        if size > limit:
            problem = f"{size:,} bytes exceed the limit of {limit:,}; send fewer or shorter chunks"
            raise InvalidJobError(DeadReason.TOO_LARGE, "payload", problem)

    def _pass_over_rest(self) -> int:
        """Read to the end of the line and return how many bytes that were, line end apart."""
        size = 0
        while rest := self._stream.readline(READ_BYTES):
            size += len(rest.rstrip(LINE_ENDS))
            if rest.endswith(b"\n"):
                break
        return size
