"""A local HTTP server that speaks the chat completions API, as well or as badly as a test wants."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from groundwire.schemas import JudgeStep
from groundwire.worker.judge.prompts import messages_for
from tests.http_serving import serving_http

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEP_OF = {messages_for(step, {})[0]["content"]: step for step in JudgeStep}
"""The step that a system prompt asks for."""

PROMPT_TOKENS, COMPLETION_TOKENS = 100, 10


@dataclass(frozen=True)
class Answer:
    """What to answer with: the content of the message, and what goes wrong.

    Attributes:
        content: What the model wrote; an object is written as JSON.
        status: HTTP status; anything but 200 goes without a completion.
        finish_reason: Why the model stopped.
        body: The whole body in the place of a completion.
        headers: Headers beside those of any response.
        until: Waits for this event before it answers.
    """

    content: Any = None
    status: int = 200
    finish_reason: str = "stop"
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    until: Event | None = None


@dataclass(frozen=True)
class Asked:
    """A request as it came; its headers are in lower case."""

    step: JudgeStep
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def given(self) -> Any:
        """What the step is to work on."""
        return json.loads(self.body["messages"][1]["content"])


class JudgeServer:
    """Answers each step with what it was told to, the last again and again.

    Attributes:
        url: Base URL for the client.
        asked: Every request so far.
        most_at_once: Most requests that were open at the same time.
    """

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._answers: dict[JudgeStep, list[Answer]] = {}
        self._open = 0
        self._lock = Lock()

    def answer(self, step: JudgeStep, *answers: Answer | Any) -> None:
        """Say what a step gets, one after another."""
        self._answers[step] = [one if isinstance(one, Answer) else Answer(one) for one in answers]

    def steps(self) -> list[JudgeStep]:
        """The steps that were asked for, in order."""
        return [one.step for one in self.asked]

    def begin(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """Keep a request and give what it is answered with."""
        step = STEP_OF[body["messages"][0]["content"]]
        with self._lock:
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
            self.asked.append(Asked(step, path, headers, body))
            left = self._answers[step]
            return left.pop(0) if len(left) > 1 else left[0]

    def end(self) -> None:
        """Count a request as over."""
        with self._lock:
            self._open -= 1


@contextmanager
def judging(arrived: Callable[[JudgeServer], None] = lambda _: None) -> Iterator[JudgeServer]:
    """Run such a server on a free port.

    Args:
        arrived: Called in the thread of each request, before it is answered.
    """
    server = JudgeServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = server.begin(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            try:
                arrived(server)
                if answer.until is not None:
                    answer.until.wait(60)
                self._send(answer)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # who asked has gone: that is what the test is about
            finally:
                server.end()

        def _send(self, answer: Answer) -> None:
            body = answer.body if answer.body is not None else completion(answer)
            self.send_response(answer.status)
            for name, value in ({"Content-Type": "application/json", "retry-after-ms": "1"} | answer.headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with serving_http(Handler) as url:
        server.url = f"{url}/v1"
        yield server


def completion(answer: Answer) -> bytes:
    """The body of a chat completion, or of an error."""
    if answer.status != 200:
        return json.dumps({"error": {"message": f"the request said {answer.content}", "type": "made_up"}}).encode()
    content = answer.content if isinstance(answer.content, str | None) else json.dumps(answer.content)
    message = {"role": "assistant", "content": content}
    return json.dumps(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
            "usage": {
                "prompt_tokens": PROMPT_TOKENS,
                "completion_tokens": COMPLETION_TOKENS,
                "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
            },
        }
    ).encode()
