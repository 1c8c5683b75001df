from __future__ import annotations

import base64
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.schemas import DeadReason, InvalidJobError
from groundwire.worker.queue.messages import MAX_BYTES, MESSAGE_ENTRIES, Message, decode, encode

IDS = st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)).map(lambda pair: f"{pair[0]}-{pair[1]}")
MESSAGES = st.builds(
    Message, st.sampled_from(["jobs", "jobs:backfill"]), st.lists(IDS, min_size=1, max_size=MESSAGE_ENTRIES)
)


@given(MESSAGES)
def test_what_was_sent_is_read(message: Message) -> None:
    item = encode(message).encode()
    assert decode(item) == message
    assert len(item) <= MAX_BYTES


def altered(**changes: Any) -> bytes:
    return json.dumps(json.loads(encode(Message("jobs", ["1-0"]))) | changes).encode()


def body(value: Any) -> bytes:
    return altered(body=base64.b64encode(json.dumps(value).encode()).decode())


@pytest.mark.parametrize(
    ("item", "field"),
    [
        (b"", "message"),
        (b"garbage", "message"),
        (b"\xff\xfe", "message"),
        (b"[]", "message"),
        (b"null", "message"),
        (b"[" * 10_000, "message"),
        (b'{"a":' * 3_000, "message"),
        (b'"' + b"x" * MAX_BYTES + b'"', "message"),
        (pickle.dumps({"task": "groundwire.score"}), "message"),
        (b"{}", "headers.id"),
        (altered(headers=None), "headers.id"),
        (altered(headers={"task": "groundwire.score"}), "headers.id"),
        (altered(headers={"id": 7, "task": "groundwire.score"}), "headers.id"),
        (altered(headers={"id": "x", "task": "os.system"}), "headers.task"),
        (altered(**{"content-type": "application/x-python-serialize"}), "content-type"),
        (altered(body=None), "body"),
        (altered(body="no base64"), "body"),
        (altered(body=base64.b64encode(b"[" * 5_000).decode()), "body"),
        (body({}), "body"),
        (body([]), "body"),
        (body([["jobs"]]), "body"),
        (body([["results", ["1-0"]], {}, {}]), "body"),
        (body([["jobs", []], {}, {}]), "body"),
        (body([["jobs", ["1-0"] * 17], {}, {}]), "body"),
        (body([["jobs", ["1"]], {}, {}]), "body"),
        (body([["jobs", [7]], {}, {}]), "body"),
        (body([["jobs", ["1-0"], "more"], {}, {}]), "body"),
    ],
)
def test_what_is_none_of_ours_is_named_by_its_field(item: bytes, field: str) -> None:
    with pytest.raises(InvalidJobError) as caught:
        decode(item)
    assert (caught.value.reason, caught.value.field) == (DeadReason.MALFORMED_MESSAGE, field)


@given(st.binary(max_size=300))
def test_no_bytes_break_it(item: bytes) -> None:
    with pytest.raises(InvalidJobError):
        decode(item)


def test_what_a_message_asks_for_beside_its_entries_is_not_heard() -> None:
    item = altered(headers={"id": "x", "task": "groundwire.score", "eta": "2999-01-01T00:00:00", "retries": -1})
    assert decode(item) == Message("jobs", ["1-0"])
