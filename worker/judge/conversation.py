"""Asks the judge for one metric, step by step: within the job's budget, with one repair each, and with a record."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pydantic import ValidationError

from groundwire.schemas import JudgeError, JudgeFault, JudgeRecord, JudgeReply
from groundwire.worker.judge.prompts import messages_for, repair_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundwire.schemas import JudgeStep
    from groundwire.worker.judge.budget import Budget
    from groundwire.worker.judge.ports import Judge, Message, Reply
    from groundwire.worker.judge.shapes import ShapeT

MAX_RAW_CHARS = 20_000
"""Characters of a response that are kept: more than a list of a hundred facts has, and few enough for several responses
to fit into a result."""

MILLIS = 1000
MILLIS_DIGITS = 3

STOPPED_EARLY = {
    "length": "it was cut off at a limit of length",
    "content_filter": "it was stopped by a content filter",
}
"""Finish reasons of a response that is not whole."""


class Conversation:
    """What is asked for one metric of a job; it belongs to one thread.

    Args:
        judge: The judge.
        budget: What the job may still take.
    """

    def __init__(self, judge: Judge, budget: Budget) -> None:
        self._judge = judge
        self._budget = budget
        self._replies: list[JudgeReply] = []

    @property
    def record(self) -> JudgeRecord:
        """Everything that was asked so far."""
        return JudgeRecord(model=self._judge.model, steps=tuple(self._replies))

    def ask(
        self,
        step: JudgeStep,
        given: Mapping[str, object],
        shape: type[ShapeT],
        problem_of: Callable[[ShapeT], str | None] = lambda _: None,
    ) -> ShapeT:
        """Ask for a step, and once more if the first response can't be used.

        Args:
            step: The step.
            given: What it works on.
            shape: What is wanted.
            problem_of: What is wrong with a response of that shape; None if nothing is. It quotes nothing of it.

        Raises:
            JudgeError: The judge gave nothing that can be used, can't be reached, refuses, or may be asked no more.
        """
        messages = messages_for(step, given)
        problem = ""
        for repair in (False, True):
            reply = self._send(step, messages, shape, repair=repair)
            found = _read(reply, shape, problem_of)
            if not isinstance(found, str):
                return found
            problem = found
            self._replies[-1] = self._replies[-1].model_copy(update={"problem": problem})
            messages = [*messages, *repair_for(reply.text, problem)]
        raise JudgeError(
            JudgeFault.MALFORMED,
            f"step {step}: the judge's response can't be used, and neither can the one to asking again: {problem}",
        )

    def _send(self, step: JudgeStep, messages: list[Message], shape: type[ShapeT], *, repair: bool) -> Reply:
        try:
            granted = self._budget.grant()
        except JudgeError as error:
            raise _at(step, error) from error
        started = time.perf_counter()

        def latency_ms() -> float:
            return round((time.perf_counter() - started) * MILLIS, MILLIS_DIGITS)

        try:
            reply = self._judge.complete(step, messages, shape.model_json_schema(), granted)
        except JudgeError as error:
            # what passes was tried as often as it was allowed to, everything else once
            requests = granted.requests if error.fault is JudgeFault.UNAVAILABLE else 1
            self._budget.settle(granted, requests, 0)
            failed = JudgeReply(
                step=step, repair=repair, problem=str(error), requests=requests, latency_ms=latency_ms()
            )
            self._replies.append(failed)
            raise _at(step, error) from error
        except BaseException:
            # a bug of this program: others may wait for what was set aside
            self._budget.settle(granted, granted.requests, 0)
            raise
        self._budget.settle(granted, reply.requests, (reply.prompt_tokens or 0) + (reply.completion_tokens or 0))
        self._replies.append(
            JudgeReply(
                step=step,
                repair=repair,
                raw=reply.text[:MAX_RAW_CHARS],
                raw_chars=len(reply.text),
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                requests=reply.requests,
                latency_ms=latency_ms(),
            )
        )
        return reply


def _at(step: JudgeStep, error: JudgeError) -> JudgeError:
    return JudgeError(error.fault, f"step {step}: {error}")


def _read(reply: Reply, shape: type[ShapeT], problem_of: Callable[[ShapeT], str | None]) -> ShapeT | str:
    """Give what a response says, or what is wrong with it without quoting it."""
    if reply.finish_reason in STOPPED_EARLY:
        return STOPPED_EARLY[reply.finish_reason]
    if not reply.text.strip():
        return "it is empty"
    try:
        read = shape.model_validate_json(reply.text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).lstrip(".")
        return f"{where or 'it'}: {first['msg'][0].lower()}{first['msg'][1:]}"
    return problem_of(read) or read
