"""The judge behind an endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

import openai
from openai import DefaultHttpxClient, OpenAI
from pydantic import BaseModel, Field, ValidationError

from groundwire.schemas import JudgeError, JudgeFault
from groundwire.worker.judge.ports import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.chat.completion_create_params import ResponseFormat

    from groundwire.schemas import JudgeStep
    from groundwire.worker.judge.ports import Allowance, Message

NO_KEY = "none"
"""For the client, which refuses to go without a key; it is not sent."""

PASSING = frozenset({408, 409, 429})
"""Statuses beside 5xx that the client takes for faults that pass."""

SERVER_ERROR = 500

FORMAT_REFUSED = frozenset({400, 422})
"""Statuses with which endpoints refuse a response format that they don't know."""

CHATTY_LOGGERS = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")
"""Loggers that can tell of a request's content or headers, whatever level the rest logs at."""

logger = logging.getLogger(__name__)


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = Field(None, ge=0)
    completion_tokens: int | None = Field(None, ge=0)


class _Completion(BaseModel):
    """What is read of a response; the client itself takes any JSON for one."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class OpenAIJudge:
    """Asks a model at temperature 0. Nothing but the endpoint is ever sent anything: redirects are not followed.

    Args:
        url: Base URL of the endpoint.
        model: The model there.
        api_key: The endpoint's key; empty where it wants none.
    """

    def __init__(self, url: str, model: str, api_key: str) -> None:
        for name in CHATTY_LOGGERS:
            logging.getLogger(name).setLevel(logging.WARNING)
        self.model = model
        # what the client would take from the variables OPENAI_… is meant for other programs
        self._headers: dict[str, str | openai.Omit] = {
            "Authorization": f"Bearer {api_key}" if api_key else openai.Omit(),
            "OpenAI-Organization": openai.Omit(),
            "OpenAI-Project": openai.Omit(),
        }
        self._client = OpenAI(
            base_url=url,
            api_key=api_key or NO_KEY,
            http_client=DefaultHttpxClient(follow_redirects=False),
        )
        self._knows_schemas = True

    def complete(
        self, step: JudgeStep, messages: Sequence[Message], schema: Mapping[str, Any], allowance: Allowance
    ) -> Reply:
        """Ask the model, with the schema as response format; where the endpoint refuses that, for any JSON object.

        Raises:
            JudgeError: The endpoint does not answer, refuses, or answers with something else than a completion.
        """
        if self._knows_schemas:
            wanted: ResponseFormat = {
                "type": "json_schema",
                "json_schema": {"name": step.value, "strict": True, "schema": dict(schema)},
            }
            try:
                return self._ask(messages, wanted, allowance)
            except openai.APIStatusError as error:
                if error.status_code not in FORMAT_REFUSED:
                    raise _fault_of(error) from error
        try:
            reply = self._ask(messages, {"type": "json_object"}, allowance)
        except openai.APIStatusError as error:
            raise _fault_of(error) from error
        if not self._knows_schemas:
            return reply
        logger.info("the judge takes no JSON Schema as response format; it is asked for JSON objects from now on")
        self._knows_schemas = False
        return Reply(reply.text, reply.finish_reason, reply.prompt_tokens, reply.completion_tokens, reply.requests + 1)

    def _ask(self, messages: Sequence[Message], response_format: ResponseFormat, allowance: Allowance) -> Reply:
        client = self._client.with_options(timeout=allowance.timeout_s, max_retries=allowance.requests - 1)
        try:
            raw = client.chat.completions.with_raw_response.create(
                model=self.model,
                messages=[cast("ChatCompletionMessageParam", message) for message in messages],
                temperature=0,
                response_format=response_format,
                extra_headers=self._headers,
            )
        except openai.APITimeoutError as error:
            problem = (
                f"the judge gave no answer within {allowance.timeout_s:.3g} s, in {allowance.requests} requests; see "
                "that it runs, or raise GROUNDWIRE_JUDGE_TIMEOUT_S"
            )
            raise JudgeError(JudgeFault.UNAVAILABLE, problem) from error
        except openai.APIConnectionError as error:
            problem = (
                f"the judge can't be reached, in {allowance.requests} requests; check GROUNDWIRE_JUDGE_URL, and "
                "whether this machine may reach it"
            )
            raise JudgeError(JudgeFault.UNAVAILABLE, problem) from error
        try:
            completion = _Completion.model_validate_json(raw.content)
        except ValidationError:
            # not chained: the error quotes what came
            problem = "the endpoint answers with something else than a chat completion; check GROUNDWIRE_JUDGE_URL"
            raise JudgeError(JudgeFault.REFUSED, problem) from None
        choice, usage = completion.choices[0], completion.usage or _Usage()
        return Reply(
            text=choice.message.content or "",
            finish_reason=choice.finish_reason or "",
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            requests=1 + raw.retries_taken,
        )


def _fault_of(error: openai.APIStatusError) -> JudgeError:
    """Say what a status means; the endpoint's own message may quote the request."""
    status = error.status_code
    if status in PASSING or status >= SERVER_ERROR:
        return JudgeError(JudgeFault.UNAVAILABLE, f"the judge answers with HTTP {status}; score the job again later")
    advice = {
        401: "check GROUNDWIRE_JUDGE_API_KEY",
        403: "check GROUNDWIRE_JUDGE_API_KEY and what it may use",
        404: "check GROUNDWIRE_JUDGE_URL and GROUNDWIRE_JUDGE_MODEL",
        413: "the job is too large for it; send fewer or shorter chunks",
    }.get(status, "check GROUNDWIRE_JUDGE_URL, GROUNDWIRE_JUDGE_MODEL and how much context the model takes")
    return JudgeError(JudgeFault.REFUSED, f"the judge refuses with HTTP {status}; {advice}")
