"""What is done to the processes while jobs run: in an order that a seed decides."""

from __future__ import annotations

import json
import pickle
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    from random import Random
    from threading import Event

    from groundwire.client import Keys
    from tests.chaos.aof_server import AofServer
    from tests.chaos.supervised import Supervised

LIST_GARBAGE = (
    b"no JSON at all",
    b"{}",
    json.dumps({"headers": {"task": "groundwire.score"}, "body": "e30="}).encode(),
    json.dumps({"headers": {"id": "x", "task": "os.system"}, "properties": {}, "body": "e30="}).encode(),
    pickle.dumps({"task": "groundwire.score"}),
    b"\xff\xfe" * 50,
)
"""Items that are no messages: each of them ends or stops a worker of Celery's own transport, or runs code in it."""

EVERY_S = 1.0

PAUSED_TURNS = 8
"""Turns for which a process is stopped by SIGSTOP: beyond its leases."""

RESTART_TURNS, ROLLOUT_TURNS, PAUSE_TURNS = 9, 7, 5
"""The server is killed at each ninth turn at most, and so on."""

SERVER_AWAY_S = (0.0, 1.5)


class Faults:
    """Does one harm after the other, once a second, until told to stop.

    Args:
        random: Decides what is done to whom.
        server: The server.
        connection: A client of it.
        keys: The names of its keys.
        workers: The workers.
        intakes: The intakes.
    """

    def __init__(
        self,
        random: Random,
        server: AofServer,
        connection: tuple[redis.Redis, Keys],
        workers: list[Supervised],
        intakes: list[Supervised],
    ) -> None:
        self._random = random
        self._server = server
        self._connection, self._keys = connection
        self._workers = workers
        self._intakes = intakes
        self._paused: dict[int, Supervised] = {}
        self.counts: Counter[str] = Counter()

    def run(self, done: Event, restarts: int, span_s: float) -> None:
        """Go on until `done` is set.

        Args:
            done: Ends it.
            restarts: How often the server is killed at most.
            span_s: Seconds over which that is spread, if there are enough turns in between.
        """
        restart_turns = max(RESTART_TURNS, int(span_s / EVERY_S / (restarts + 1)))
        turn = 0
        while not done.wait(EVERY_S):
            turn += 1
            if turn in self._paused:
                self._paused.pop(turn).signal_all(signal.SIGCONT)
            self._harm("killed", self._random.choice([*self._workers, *self._intakes]), signal.SIGKILL)
            if turn % restart_turns == 0 and self.counts["server killed"] < restarts:
                self._restart_server()
            if turn % ROLLOUT_TURNS == 0:
                self._harm("told to stop", self._random.choice(self._workers), signal.SIGTERM)
            if turn % PAUSE_TURNS == 0:
                paused = self._random.choice(self._workers)
                paused.signal_all(signal.SIGSTOP)
                self._paused[turn + PAUSED_TURNS] = paused
                self.counts["paused"] += 1
            self._garbage()
        for paused in self._paused.values():
            paused.signal_all(signal.SIGCONT)

    def _harm(self, what: str, whom: Supervised, number: int) -> None:
        whom.signal(number)
        self.counts[what] += 1

    def _restart_server(self) -> None:
        self._server.kill()
        time.sleep(self._random.uniform(*SERVER_AWAY_S))
        self._server.start()
        self.counts["server killed"] += 1

    def _garbage(self) -> None:
        try:
            self._connection.lpush(self._keys.celery, self._random.choice(LIST_GARBAGE))
            self.counts["garbage on Celery's list"] += 1
        except redis.RedisError:
            self.counts["garbage that found no server"] += 1
