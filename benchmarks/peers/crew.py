"""Processes of one contender that work at the same time, and how long they take together."""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from peers.serving import ANSWERS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).parents[1]
"""Where `peers` is imported from."""

STOP_SECONDS = 30.0
"""For a process to end by itself after its last command."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
"""How the packages' own thread pools are told; tokenizers has one of Rayon's."""


class CrewError(Exception):
    """A contender's process ended before it had answered; the message has the last line that it wrote."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a contender uses the machine.

    Attributes:
        processes: How many, all at once.
        threads: Threads of each; 0 leaves the number to the package.
    """

    processes: int
    threads: int

    def __str__(self) -> str:
        return f"{self.processes}x{self.threads or 'default'}"


class Crew(AbstractContextManager["Crew"]):
    """Starts the processes and waits until all of them are ready.

    Args:
        command: Program and arguments of each process; the number of threads is added.
        layout: How many processes and threads.
        log: Where what they print goes.

    Raises:
        CrewError: One ended instead of becoming ready, here and in every method.
    """

    def __init__(self, command: Sequence[str], layout: Layout, log: Path) -> None:
        self._log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true", "PYTHONPATH": str(FOLDER)}
        if layout.threads:
            environment |= dict.fromkeys(THREAD_VARIABLES, str(layout.threads))
        with log.open("wb") as output:
            self._members = [
                _start([*command, str(layout.threads)], environment, output) for _ in range(layout.processes)
            ]
        try:
            for member in self._members:
                self._read(member)
        except CrewError:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        for member in self._members:
            with suppress(BrokenPipeError):  # closing writes what is left, and nobody may be there to read it
                member.commands.close()
        for member in self._members:
            try:
                member.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                member.process.kill()
                member.process.wait()
            member.answers.close()

    @property
    def size(self) -> int:
        """How many processes there are."""
        return len(self._members)

    def ask(self, commands: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Send each process its command and wait for all answers."""
        for member, command in zip(self._members, commands, strict=True):
            self._send(member, command)
        return [self._read(member) for member in self._members]

    def seconds(self, command: Mapping[str, Any]) -> float:
        """Send all processes the same command at once; gives the time until the last one has answered."""
        start = time.perf_counter()
        self.ask([command] * self.size)
        return time.perf_counter() - start

    def deal(self, commands: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Give every process a command as soon as it has answered the one before, as a queue does.

        Returns:
            The answers, in the order of the commands.
        """
        waiting: SimpleQueue[int] = SimpleQueue()
        for number in range(len(commands)):
            waiting.put(number)
        answers: dict[int, Any] = {}
        failures: list[CrewError] = []

        def work(member: _Member) -> None:
            try:
                while True:
                    number = waiting.get_nowait()
                    self._send(member, commands[number])
                    answers[number] = self._read(member)
            except Empty:
                return
            except CrewError as failure:
                failures.append(failure)

        threads = [Thread(target=work, args=(member,)) for member in self._members]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return [answers[number] for number in range(len(commands))]

    def _send(self, member: _Member, command: Mapping[str, Any]) -> None:
        try:
            member.commands.write(json.dumps(command) + "\n")
            member.commands.flush()
        except BrokenPipeError as error:
            raise CrewError(self._last_words()) from error

    def _read(self, member: _Member) -> Any:  # noqa: ANN401 - whatever JSON can hold
        line = member.answers.readline()
        if not line:
            member.process.wait(STOP_SECONDS)  # so that all of its words are in the log
            raise CrewError(self._last_words())
        return json.loads(line)

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()
        return f"{lines[-1] if lines else 'ended without a word'} ({self._log})"


@dataclass(frozen=True, slots=True)
class _Member:
    process: subprocess.Popen[bytes]
    commands: TextIO
    answers: TextIO


def _start(command: Sequence[str], environment: Mapping[str, str], output: BinaryIO) -> _Member:
    """Start a process that answers on a pipe of its own: packages print to standard output as they like."""
    commands_end, commands = os.pipe()
    answers, answers_end = os.pipe()
    process = subprocess.Popen(
        command,
        stdin=commands_end,
        stdout=output,
        stderr=output,
        env={**environment, ANSWERS_VARIABLE: str(answers_end)},
        cwd=FOLDER,
        pass_fds=[answers_end],
    )
    os.close(commands_end)
    os.close(answers_end)
    return _Member(process, os.fdopen(commands, "w"), os.fdopen(answers))
