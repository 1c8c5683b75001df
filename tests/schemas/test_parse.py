"""Reading a job: what is accepted, and how each fault is named."""

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.schemas import DeadReason, InvalidJobError, Limits, parse_job

BASE: dict[str, Any] = {"v": 1, "trace_id": "t1", "span_id": "s1", "response_text": "The tower is in Paris."}
LIMITS = Limits()


def encode(**fields: Any) -> bytes:
    return json.dumps(BASE | fields).encode()


def refusal(payload: bytes, **options: Any) -> InvalidJobError:
    with pytest.raises(InvalidJobError) as caught:
        parse_job(payload, LIMITS, **options)
    return caught.value


@pytest.mark.parametrize(
    ("payload", "reason", "field"),
    [
        (b"", DeadReason.NOT_JSON, "payload"),
        (b"{", DeadReason.NOT_JSON, "payload"),
        (b'["a"]', DeadReason.NOT_JSON, "payload"),
        (b'{"completion_tokens": NaN}', DeadReason.NOT_JSON, "payload"),
        (b'{"completion_tokens": ' + b"9" * 5000 + b"}", DeadReason.NOT_JSON, "payload"),
        (b'{"trace_id": "\xff"}', DeadReason.NOT_UTF8, "payload"),
        (b"[" * 100_000, DeadReason.TOO_DEEP, "payload"),
        (b" " * (10 * 1024 * 1024), DeadReason.TOO_LARGE, "payload"),
        (encode(v=2), DeadReason.UNSUPPORTED_VERSION, "v"),
        (encode(v="1"), DeadReason.UNSUPPORTED_VERSION, "v"),
        (encode(v=True), DeadReason.UNSUPPORTED_VERSION, "v"),
        (encode(trace_id=None), DeadReason.INVALID_FIELD, "trace_id"),
        (encode(trace_id=""), DeadReason.INVALID_FIELD, "trace_id"),
        (encode(span_id="s" * 129), DeadReason.INVALID_FIELD, "span_id"),
        (encode(response_text=7), DeadReason.INVALID_FIELD, "response_text"),
        (encode(response_text="a" * 100_001), DeadReason.TOO_LARGE, "response_text"),
        (encode(response_text="a\ud800"), DeadReason.INVALID_FIELD, "response_text"),
        (encode(query="a\0b"), DeadReason.INVALID_FIELD, "query"),
        (encode(contexts=["a"] * 5_000), DeadReason.TOO_LARGE, "contexts"),
        (encode(contexts=["a", 5]), DeadReason.INVALID_FIELD, "contexts[1]"),
        (encode(contexts=["a", {"text": "b\0"}]), DeadReason.INVALID_FIELD, "contexts[1].text"),
        (encode(contexts=[{"body": "a"}]), DeadReason.UNKNOWN_FIELD, "contexts[0].body"),
        (encode(contexts=[{"text": "a", "content": "b"}]), DeadReason.INVALID_FIELD, "contexts[0]"),
        (encode(contexts="no list"), DeadReason.INVALID_FIELD, "contexts"),
        (encode(contexts='{"text": "a"}'), DeadReason.INVALID_FIELD, "contexts"),
        (encode(contexts=["a"], rag_context="a"), DeadReason.INVALID_FIELD, "rag_context"),
        (encode(completion_tokens="14"), DeadReason.INVALID_FIELD, "completion_tokens"),
        (encode(completion_tokens=-1), DeadReason.INVALID_FIELD, "completion_tokens"),
        (encode(completion_tokens=10**400), DeadReason.INVALID_FIELD, "completion_tokens"),
        (encode(contexts=[{"text": "a", "score": 10**400}]), DeadReason.INVALID_FIELD, "contexts[0].score"),
        (encode(contexts=[{"text": "a", "score": -1e300}]), DeadReason.INVALID_FIELD, "contexts[0].score"),
        (encode(thresholds={"faithfulness": 10**400}), DeadReason.INVALID_FIELD, "thresholds.faithfulness"),
        (encode(v=10**400), DeadReason.UNSUPPORTED_VERSION, "v"),
        (encode(contexts='[{"text": "a", "titel": "b"}]'), DeadReason.UNKNOWN_FIELD, "contexts[0].titel"),
        (encode(contexts="[" * 50 + "]" * 50), DeadReason.TOO_DEEP, "contexts"),
        (encode(project="p" * 257), DeadReason.INVALID_FIELD, "project"),
        (encode(attributes={str(i): "a" for i in range(65)}), DeadReason.INVALID_FIELD, "attributes"),
        (encode(attributes={"a": "b" * 4097}), DeadReason.INVALID_FIELD, "attributes.a"),
        (encode(contexts="no list", rag_context=5), DeadReason.INVALID_FIELD, "contexts"),
        (encode(metrics=["truthiness"]), DeadReason.INVALID_FIELD, "metrics[0]"),
        (encode(metrics=[]), DeadReason.INVALID_FIELD, "metrics"),
        (encode(thresholds={"faithfulness": 1.5}), DeadReason.INVALID_FIELD, "thresholds.faithfulness"),
        (encode(profile="fast"), DeadReason.INVALID_FIELD, "profile"),
        (encode(priority="urgent"), DeadReason.INVALID_FIELD, "priority"),
        (encode(attributes={"a": 1}), DeadReason.INVALID_FIELD, "attributes.a"),
        (encode(traceparent="00-1-2-3"), DeadReason.INVALID_FIELD, "traceparent"),
        (encode(respons_text="a"), DeadReason.UNKNOWN_FIELD, "respons_text"),
    ],
)
def test_a_fault_is_named_with_its_reason_and_field_in_one_line(payload: bytes, reason: DeadReason, field: str) -> None:
    error = refusal(payload)
    assert (error.reason, error.field) == (reason, field)
    assert str(error).startswith(f"{field}: ")
    assert "\n" not in str(error)


def test_a_missing_field_is_named() -> None:
    assert refusal(b'{"v": 1, "span_id": "s", "response_text": "x"}').field == "trace_id"


def test_an_unknown_metric_is_shown_beside_the_known_ones() -> None:
    message = str(refusal(encode(metrics=["truthiness"])))
    assert "'truthiness'" in message
    assert "'faithfulness'" in message


def test_no_message_repeats_a_text_of_the_job() -> None:
    marker = "CONFIDENTIAL words of an answer"
    faults = [encode(response_text=[marker]), encode(contexts=[marker, {"text": [marker]}]), encode(profile=marker)]
    faults += [encode(**{marker: 1}), encode(contexts=marker), encode(metrics=[marker]), encode(contexts=[{marker: 1}])]
    faults += [encode(contexts=json.dumps([{marker: 1}]))]
    assert not [payload for payload in faults if "CONFIDENTIAL" in str(refusal(payload))]


def test_an_invalid_job_still_tells_its_ids() -> None:
    ids = refusal(encode(job_id="j1", completion_tokens="x")).ids
    assert ids == ("j1", "t1", "s1")


def test_ids_that_cannot_be_read_are_not_made_up() -> None:
    assert refusal(encode(trace_id=5)).ids is None


def test_an_unknown_field_from_a_newer_producer_becomes_a_warning() -> None:
    parsed = parse_job(encode(experiment="b", contexts=[{"text": "a", "colour": 1}]), LIMITS, unknown_fields="warn")
    assert parsed.warnings == (
        "unknown field experiment was ignored",
        "unknown field contexts[0].colour was ignored",
    )


@pytest.mark.parametrize("name", ["respons_text", "reponse_texts", "rag_contxt", "metric", "thresholds_"])
def test_a_near_miss_of_a_known_name_is_refused_even_from_a_newer_producer(name: str) -> None:
    error = refusal(encode(**{name: "x"}), unknown_fields="warn")
    assert (error.reason, error.field) == (DeadReason.UNKNOWN_FIELD, name)
    assert "did you mean" in str(error)


def test_a_chunk_whose_text_stands_under_an_unknown_name_never_scores_low_in_silence() -> None:
    payload = encode(contexts=[{"title": "Guide", "passage_body": "The tower is in Paris."}])
    assert refusal(payload, unknown_fields="warn").field == "contexts[0]"


@pytest.mark.parametrize(
    "contexts",
    [
        ["first", "second"],
        [{"text": "first"}, {"text": "second"}],
        [{"content": "first"}, {"page_content": "second"}],
        '["first", "second"]',
        '[{"content": "first"}, "second"]',
    ],
)
def test_every_accepted_form_of_the_context_is_the_same_job(contexts: Any) -> None:
    job = parse_job(encode(contexts=contexts), LIMITS).job
    assert job.contexts is not None
    assert [chunk.text for chunk in job.contexts] == ["first", "second"]
    assert job.id == parse_job(encode(contexts=["first", "second"]), LIMITS).job.id


def test_many_unknown_fields_are_no_newer_producer() -> None:
    error = refusal(encode(**{f"some_other_field_{i}": 1 for i in range(33)}), unknown_fields="warn")
    assert (error.reason, error.field) == (DeadReason.UNKNOWN_FIELD, "some_other_field_0")


def test_warnings_name_a_few_unknown_fields_and_count_the_rest() -> None:
    parsed = parse_job(encode(**{f"some_other_field_{i}": 1 for i in range(12)}), LIMITS, unknown_fields="warn")
    assert len(parsed.warnings) == 11
    assert parsed.warnings[-1] == "2 more unknown fields were ignored"


@pytest.mark.parametrize("unit", [b'"\\', b'"', b"\\", b'"a\\"', b'["', b'{"a":', b'\\"', b'"\\\\'])
@pytest.mark.timeout(20)
def test_a_hostile_payload_of_full_size_is_refused_soon(unit: bytes) -> None:
    payload = unit * (LIMITS.max_job_bytes // len(unit))
    assert refusal(payload).field == "payload"


def test_what_other_tools_put_beside_a_text_is_not_read() -> None:
    contexts = [{"page_content": "a", "metadata": {"source": "b"}}, {"content": "c", "meta": {}}]
    job = parse_job(encode(contexts=contexts), LIMITS).job
    assert [chunk.text for chunk in job.contexts or ()] == ["a", "c"]


def test_limits_are_settings() -> None:
    with pytest.raises(InvalidJobError, match=r"response_text: .*limit of 5"):
        parse_job(encode(), Limits(max_response_chars=5))
    with pytest.raises(InvalidJobError, match=r"contexts: 2 chunks exceed the limit of 1"):
        parse_job(encode(contexts=["a", "b"]), Limits(max_chunks=1))
    with pytest.raises(InvalidJobError, match=r"payload: .*limit of 10"):
        parse_job(encode(), Limits(max_job_bytes=10))


def test_text_in_any_script_and_direction_is_accepted() -> None:
    text = "שלום עולם \u202e مرحبا 京都 e\u0301 👩\u200d🔬"
    assert parse_job(encode(response_text=text), LIMITS).job.response_text == text


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_job_or_a_refusal_that_names_a_field(payload: bytes) -> None:
    assert refusal(payload).field


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


FREE_FIELDS = ["contexts", "metrics", "v", "attributes", "thresholds", "job_id", "rag_context"]


# on a busy machine the first values take seconds, which says nothing of the parser
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(FREE_FIELDS), JSON_VALUES))
def test_any_value_in_any_field_is_accepted_or_refused_by_name(fields: dict[str, Any]) -> None:
    blamed = blame(encode(**fields))
    assert blamed is None or blamed in fields


def blame(payload: bytes) -> str | None:
    try:
        parse_job(payload, LIMITS)
    except InvalidJobError as error:
        return re.split(r"[.\[]", error.field)[0]
    return None
