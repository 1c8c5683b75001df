"""Payloads that no producer should send, each made from a number: the same number makes the same payload."""

from __future__ import annotations

import json
from random import Random
from typing import Any

MARKER = "words that stay private"
"""Stands in every text; no error may show it."""

JOB: dict[str, Any] = {
    "v": 1,
    "job_id": "j1",
    "trace_id": "t1",
    "span_id": "s1",
    "response_text": f"It was built in 1889 \u2014 {MARKER}. \U0001f600",
    "contexts": [
        {"id": "c1", "text": f"{MARKER} 1889.", "title": MARKER, "heading_hierarchy": ["a", MARKER], "score": 0.5},
        MARKER,
        {"html": f"<p>{MARKER}</p>", "metadata": {"k": [1, {}]}},
    ],
    "cited_chunks": ["c1"],
    "query": MARKER,
    "reference_answer": MARKER,
    "completion_tokens": 14,
    "finish_reason": "stop",
    "metrics": ["faithfulness", "groundedness"],
    "thresholds": {"faithfulness": 0.7},
    "profile": "original",
    "priority": "backfill",
    "project": "p",
    "attributes": {"k": MARKER},
    "traceparent": "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
}

SCALARS: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 10**30, -(10**4200), 0.5, -0.0, 1e308, float("nan"), float("inf")),
    *("", " ", "x", MARKER, "a" * 200, "\0", "\ud800", "\u202e", "[]", "{}", '["a"]', "[" * 50, "null", "1", "\n"),
    *("faithfulness", "original", "backfill", "evidence", "v", "1e999"),
]

NAMES = [
    *JOB,
    "rag_context",
    "text",
    "html",
    "content",
    "page_content",
    "context",
    "respnse_text",
    MARKER,
    "",
    "\0",
    "x",
]

PIECES = [b"\x00", b"\xff", b'"', b"\\", b"\\u", b"\\ud800", b"{", b"}", b"[", b"]", b",", b":", b"1e", b"-", b"NaN"]
PIECES += [
    b"[" * 40,
    b'{"a":' * 40,
    b"9" * 5000,
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"/*",
    b"'",
    b"\n",
    b"true",
    b'"v":2,',
]

MAX_DEPTH = 4


def payload(number: int) -> bytes:
    """The payload of this number."""
    random = Random(number)  # noqa: S311 - reproducible, not secret
    kind = random.randrange(10)
    if kind == 0:
        return random.randbytes(random.randrange(300))
    if kind == 1:
        return _encoded(_value(random, 0), random)
    if kind == 2:
        return _encoded({random.choice(NAMES): _value(random, 1) for _ in range(random.randrange(12))}, random)
    job = json.loads(json.dumps(JOB))
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        _change(job, random)
    encoded = _encoded(job, random)
    return _damaged(encoded, random) if kind >= 7 else encoded


def _encoded(value: Any, random: Random) -> bytes:
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    return text.encode(errors="surrogatepass")


def _value(random: Random, depth: int) -> Any:
    kind = random.randrange(6) if depth < MAX_DEPTH else 0
    if kind == 1:
        return [_value(random, depth + 1) for _ in range(random.randrange(4))]
    if kind == 2:
        return {random.choice(NAMES): _value(random, depth + 1) for _ in range(random.randrange(4))}
    return random.choice(SCALARS)


def _change(job: dict[str, Any], random: Random) -> None:
    """Change one thing somewhere in the job."""
    place: Any = job
    while place and random.random() < 0.4:
        inner = [one for one in (place.values() if isinstance(place, dict) else place) if isinstance(one, dict | list)]
        if not inner:
            break
        place = random.choice(inner)
    if isinstance(place, list):
        place.insert(random.randrange(len(place) + 1), _value(random, 2))
        return
    name = random.choice([*place, *NAMES])
    match random.randrange(4):
        case 0:
            place.pop(name, None)
        case 1:
            at = random.randrange(len(name) + 1)
            place[name[:at] + random.choice("abc_0\u00e9") + name[at + random.randrange(2) :]] = place.pop(name, None)
        case _:
            place[name] = _value(random, 1)


def _damaged(encoded: bytes, random: Random) -> bytes:
    """The same bytes with a few of them lost, doubled, changed or put in between."""
    data = bytearray(encoded)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.randrange(1, 20))
        match random.randrange(5):
            case 0:
                del data[at:end]
            case 1:
                data[at:at] = data[at:end]
            case 2:
                data[at:at] = random.choice(PIECES)
            case 3:
                del data[at:]
            case _:
                data[at:end] = random.randbytes(end - at)
    return bytes(data)
