from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groundwire.schemas import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import System


def bad_payloads(good: dict[str, Any]) -> list[tuple[bytes | str, str, str]]:
    """Payload, reason and field at fault."""
    without_trace = {name: value for name, value in good.items() if name != "trace_id"}
    return [
        ("no JSON at all", "not_json", "payload"),
        ('{"trace_id": ', "not_json", "payload"),
        ("[]", "not_json", "payload"),
        (b'{"trace_id": "\xff"}', "not_utf8", "payload"),
        (json.dumps(good | {"response_text": 7}), "invalid_field", "response_text"),
        (json.dumps(good | {"contexts": [[1]], "rag_context": None}), "invalid_field", "contexts[0]"),
        (json.dumps(without_trace), "invalid_field", "trace_id"),
        (json.dumps(good | {"rag_context": "x" * 10 * 2**20}), "too_large", "payload"),
        (json.dumps(good | {"response_text": "x" * 100_001}), "too_large", "response_text"),
        (json.dumps(good | {"contexts": ["x"] * 5_000, "rag_context": None}), "too_large", "contexts"),
        (json.dumps(good | {"response_text": "\ud800"}), "invalid_field", "response_text"),
        (json.dumps(good | {"rag_context": "a\0b"}), "invalid_field", "rag_context"),
        (json.dumps(good | {"metrics": ["truthiness"]}), "invalid_field", "metrics[0]"),
        (json.dumps(good | {"v": 2}), "unsupported_version", "v"),
        ("[" * 10_000, "too_deep", "payload"),
        (json.dumps(good | {"respones_text": "x"}), "unknown_field", "respones_text"),
    ]


def test_bad_entries_become_dead_letters_and_the_good_ones_are_scored(
    system: System, job: Callable[..., dict[str, Any]]
) -> None:
    expected: dict[str, tuple[str, str]] = {}
    good_traces = []
    for number, (payload, reason, field) in enumerate(bad_payloads(job("bad"))):
        expected[system.add(payload)] = (reason, field)
        good_traces.append(f"among-bad-{number}")
        system.add(json.dumps(job(good_traces[-1], "I don't know.")))
    expected[system.add_fields({"v": "1"})] = ("malformed_entry", "payload")
    expected[system.add_fields({b"\xff\xfe": b"\x00", "garbage": "garbage"})] = ("malformed_entry", "v")
    expected[system.add_fields({"v": "9", "payload": "{}"})] = ("unsupported_version", "v")

    letters = system.dead(expected)
    assert {
        entry_id: (letter[b"reason"].decode(), letter[b"field"].decode()) for entry_id, letter in letters.items()
    } == expected
    for letter in letters.values():
        assert letter[b"error"].startswith(letter[b"field"] + b": ")
        assert b"\n" not in letter[b"error"]
        assert len(letter.get(b"payload", b"")) <= 2**20
    assert set(system.results(good_traces)) == set(good_traces)


def test_whoever_waits_for_a_bad_job_gets_an_error(system: System, job: Callable[..., dict[str, Any]]) -> None:
    system.add(json.dumps(job("waiting") | {"job_id": "bad-one", "metrics": ["truthiness"]}))
    metric = system.client.wait("waiting", "bad-one", 30).metrics["faithfulness"]
    assert metric.status is Status.ERROR
    assert metric.error is not None
    assert metric.error.code == "invalid_field"
    assert metric.error.message.startswith("metrics[0]: ")


def test_right_to_left_text_is_scored(system: System, job: Callable[..., dict[str, Any]]) -> None:
    answer = "برج إيفل يقع في مدينة باريس. مجدل إيفل בפריז נבנה בשנת 1889."
    fields = job("right-to-left", answer) | {"rag_context": "برج إيفل يقع في مدينة باريس في فرنسا، وقد بني سنة 1889."}
    system.add(json.dumps(fields, ensure_ascii=False).encode())
    [entry] = system.results(["right-to-left"]).values()
    metric = Result.model_validate_json(entry[b"payload"]).metrics["faithfulness"]
    assert metric.status in (Status.SUCCESS, Status.FAILURE)
    assert all(answer[one.start : one.end] == one.sentence for one in metric.sentence_results)


def test_a_replayed_letter_is_the_entry_that_it_was(system: System, job: Callable[..., dict[str, Any]]) -> None:
    entry_id = system.add_fields({"v": "0", "payload": json.dumps(job("replayed"))})
    system.dead([entry_id])
    found = next(one for one in system.client.dead.list() if one.source_entry_id == entry_id)
    again = system.client.dead.replay(found.entry_id)
    [letter] = system.dead([again]).values()
    assert (letter[b"reason"], letter[b"v"]) == (b"unsupported_version", b"0")
    assert letter[b"payload"] == found.payload
