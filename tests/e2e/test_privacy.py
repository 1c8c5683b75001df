from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import System

MARKER = "a text that stays private"


def test_no_text_is_in_a_celery_message(system: System) -> None:
    message = json.loads(system.messages[-1])
    [stream, entry_ids], _, _ = json.loads(base64.b64decode(message["body"]))
    assert (stream, len(entry_ids)) == ("jobs", 1)
    assert message["headers"]["argsrepr"] == "(jobs, 1 entries)"
    seen = b"".join([*system.messages, base64.b64decode(message["body"])])
    assert MARKER.encode() not in seen
    assert base64.b64encode(MARKER.encode())[4:-4] not in seen


def test_no_text_is_in_a_log_whatever_happens_to_the_job(system: System, job: Callable[..., dict[str, Any]]) -> None:
    private = {"query": MARKER, "rag_context": MARKER * 9}
    marked = job("unreadable", f"{MARKER} is a text. It was built in 1889.") | private
    bad = [
        json.dumps(marked | {"completion_tokens": MARKER}),
        json.dumps(marked | {"metrics": [MARKER]}),
        json.dumps(marked | {"thresholds": {MARKER: 0.5}}),
        json.dumps(marked | {"contexts": [{"text": MARKER}, MARKER, 7], "rag_context": None}),
        json.dumps(marked | {"contexts": [{MARKER: MARKER}], "rag_context": None}),
        json.dumps(marked)[:-1],
        json.dumps(marked).encode() + b"\xff",
    ]
    entry_ids = [system.add(payload) for payload in bad]
    entry_ids += [system.add_fields({MARKER: MARKER}), system.add_fields({"v": MARKER, "payload": MARKER})]
    system.add(json.dumps(marked | {"trace_id": "logged"}))
    system.add(json.dumps(marked | {"trace_id": "logged-with-warning", MARKER: MARKER}))
    letters = system.dead(entry_ids)
    system.results(["logged", "logged-with-warning", "marked"])
    for name, log in system.logs.items():
        text = log.read_text()
        assert text, f"the {name} logged nothing"
        assert MARKER not in text
        assert system.password not in text
    for letter in letters.values():
        assert MARKER.encode() not in letter[b"error"] + letter[b"field"]
