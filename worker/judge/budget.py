"""What the judge may take for one job: requests, tokens and time, counted over all of its metrics."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Condition

from groundwire.schemas import JudgeError, JudgeFault
from groundwire.worker.judge.ports import Allowance


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a job.

    Attributes:
        max_requests: HTTP requests.
        max_tokens: Tokens read and written; what is asked last may go beyond.
        budget_s: Seconds for everything.
        timeout_s: Seconds for one request.
        retries: Times that a request is sent again after a fault that passes.
    """

    max_requests: int
    max_tokens: int
    budget_s: float
    timeout_s: float
    retries: int


class Budget:
    """The rest of what a job may take; threads share it.

    Args:
        limits: All that it may take. Its time begins now.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._ends_at = time.monotonic() + limits.budget_s
        self._requests = 0
        self._tokens = 0
        self._unsettled = 0
        self._changed = Condition()

    def grant(self) -> Allowance:
        """Set aside what the next question may take; `settle` gives back what it did not.

        Where other questions have set aside all that is left, it waits for them.

        Raises:
            JudgeError: Nothing is left of one of the limits.
        """
        limits = self._limits
        with self._changed:
            self._changed.wait_for(lambda: self._requests < limits.max_requests or not self._unsettled)
            left = limits.max_requests - self._requests
            seconds = self._ends_at - time.monotonic()
            if left < 1:
                raise self._used_up(f"{limits.max_requests} requests", "GROUNDWIRE_JUDGE_MAX_REQUESTS")
            if self._tokens >= limits.max_tokens:
                raise self._used_up(f"{limits.max_tokens:,} tokens", "GROUNDWIRE_JUDGE_MAX_TOKENS")
            if seconds <= 0:
                raise self._used_up(f"{limits.budget_s:g} s", "GROUNDWIRE_JUDGE_BUDGET_S")
            # each request may take the whole of its time, so fewer of them fit in when little is left
            requests = min(1 + limits.retries, left, max(1, round(seconds / limits.timeout_s)))
            granted = Allowance(requests, min(limits.timeout_s, seconds / requests))
            self._requests += granted.requests
            self._unsettled += 1
            return granted

    def settle(self, granted: Allowance, requests: int, tokens: int) -> None:
        """Count what a question took in the place of what was set aside for it."""
        with self._changed:
            self._requests += requests - granted.requests
            self._tokens += tokens
            self._unsettled -= 1
            self._changed.notify_all()

    def _used_up(self, what: str, setting: str) -> JudgeError:
        return JudgeError(
            JudgeFault.OVER_BUDGET,
            f"the job has used its {what} of the judge; raise {setting}, or ask for fewer metrics at a time",
        )
