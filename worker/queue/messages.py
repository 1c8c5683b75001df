"""Messages on Celery's list: a stream's short name and ids of its entries, never text."""

from __future__ import annotations

import base64
import binascii
import json
import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.client import STREAM_NAMES
from groundwire.schemas import DeadReason, InvalidJobError

if TYPE_CHECKING:
    from collections.abc import Sequence

TASK = "groundwire.score"
QUEUE = "celery"

MESSAGE_ENTRIES = 16
"""Entries of a message at most: enough to make Celery's own cost per message small, few enough to share work out."""

MAX_BYTES = 16 * 1024
"""Size of a message beyond which it is none of ours: 16 ids of 41 digits at most take about two kilobytes."""

ENTRY_ID = re.compile(r"\d{1,20}-\d{1,20}")


@dataclass(frozen=True, slots=True)
class Message:
    """What a message asks for.

    Attributes:
        stream: Short name of a job stream.
        entry_ids: Ids of its entries, from 1 to `MESSAGE_ENTRIES`.
    """

    stream: str
    entry_ids: Sequence[str]


def encode(message: Message) -> str:
    """Return a message of Celery's protocol, version 2, as kombu's Redis transport reads it from the list.

    The headers that would repeat the arguments say only how many there are.
    """
    task_id = str(uuid.uuid4())
    arguments = [
        [message.stream, list(message.entry_ids)],
        {},
        dict.fromkeys(("callbacks", "errbacks", "chain", "chord")),
    ]
    absent = dict.fromkeys(("shadow", "eta", "expires", "group", "parent_id"))
    return json.dumps(
        {
            "body": base64.b64encode(json.dumps(arguments).encode()).decode(),
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": absent
            | {
                "lang": "py",
                "task": TASK,
                "id": task_id,
                "root_id": task_id,
                "retries": 0,
                "timelimit": [None, None],
                "argsrepr": f"({message.stream}, {len(message.entry_ids)} entries)",
                "kwargsrepr": "{}",
            },
            "properties": {
                "correlation_id": task_id,
                "delivery_mode": 2,
                "delivery_info": {"exchange": "", "routing_key": QUEUE},
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": str(uuid.uuid4()),
            },
        }
    )


def decode(item: bytes) -> Message:
    """Read a message from the list. What is not needed of it is not looked at.

    Raises:
        InvalidJobError: It is none of ours, with the field at fault; no content of it is quoted.
    """
    if len(item) > MAX_BYTES:
        raise _malformed("message", f"has {len(item):,} bytes, and ours have at most {MAX_BYTES:,}")
    fields = _json_object("message", item)
    headers = fields.get("headers")
    if not isinstance(headers, dict) or not isinstance(headers.get("id"), str):
        raise _malformed("headers.id", "is missing, and Celery's messages have one")
    if headers.get("task") != TASK:
        raise _malformed("headers.task", f"is not {TASK}; jobs go onto the job streams")
    if fields.get("content-type") != "application/json":
        raise _malformed("content-type", "is not application/json, and nothing else is read")
    return _message(fields.get("body"))


def _message(body: object) -> Message:
    try:
        arguments = json.loads(base64.b64decode(body if isinstance(body, str) else "", validate=True))
    except (ValueError, RecursionError, binascii.Error):
        raise _malformed("body", "is not JSON in base64") from None
    match arguments:
        case [[str(stream), list(entry_ids)], *_] if stream in STREAM_NAMES.values():
            if not 1 <= len(entry_ids) <= MESSAGE_ENTRIES:
                raise _malformed("body", f"names {len(entry_ids):,} entries; a message has 1 to {MESSAGE_ENTRIES}")
            if all(isinstance(entry_id, str) and ENTRY_ID.fullmatch(entry_id) for entry_id in entry_ids):
                return Message(stream, entry_ids)
    raise _malformed("body", "is not the name of a job stream and ids of its entries")


def _json_object(what: str, item: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(item)
    except (ValueError, RecursionError):
        raise _malformed(what, "is not JSON; jobs go onto the job streams") from None
    if not isinstance(fields, dict):
        raise _malformed(what, "is no JSON object; jobs go onto the job streams")
    return fields


def _malformed(field: str, problem: str) -> InvalidJobError:
    return InvalidJobError(DeadReason.MALFORMED_MESSAGE, field, problem)
