"""The combiner on a real server: what it publishes, and that it publishes it once."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.client import COMBINE_GROUP, Keys
from groundwire.schemas import Combined, CombinedPart, composite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import redis

    from groundwire.client import Combiner

    Send = Callable[..., str]
    Make = Callable[..., Combiner]

WEIGHTS = {"faithfulness": 2.0, "toxicity": 1.0}


@pytest.fixture
def published(server: redis.Redis, keys: Keys) -> Callable[[], list[Combined]]:
    """Everything on the composites stream."""

    def read() -> list[Combined]:
        entries = [fields for _, fields in server.xrange(keys.composites)]
        found = [Combined.model_validate_json(fields[b"payload"]) for fields in entries]
        assert [(fields[b"trace_id"].decode(), fields[b"span_id"].decode()) for fields in entries] == [
            (combined.trace_id, combined.span_id) for combined in found
        ]
        return found

    return read


@pytest.fixture(autouse=True)
def nothing_left_over(server: redis.Redis, keys: Keys) -> Iterator[None]:
    """Whatever happened, every result that was read is acknowledged in the end."""
    yield
    if server.exists(keys.results) and server.xinfo_groups(keys.results):
        assert server.xpending(keys.results, COMBINE_GROUP)["pending"] == 0


def test_the_results_of_a_span_are_joined_once_all_are_there(make_combiner: Make, send: Send, published: Any) -> None:
    combiner = make_combiner()
    first = send("ours", faithfulness=0.9)
    assert list(combiner.run_once()) == published() == []
    second = send("theirs", toxicity=0.3)
    (combined,) = combiner.run_once()
    assert published() == [combined]
    assert (combined.trace_id, combined.span_id) == ("t1", "s1")
    assert combined.metrics == {"faithfulness": 0.9, "toxicity": 0.3}
    assert combined.composite == composite(combined.metrics, WEIGHTS)
    assert combined.parts == (
        CombinedPart(job_id="ours", entry_id=first),
        CombinedPart(job_id="theirs", entry_id=second),
    )
    assert (combined.complete, combined.revision) == (True, 1)


def test_a_metric_without_a_score_has_arrived_all_the_same(make_combiner: Make, send: Send) -> None:
    send("ours", faithfulness=None, toxicity=0.25)
    (combined,) = make_combiner().run_once()
    assert (combined.complete, combined.composite.score) == (True, 0.25)
    assert combined.composite.coverage == pytest.approx(1 / 3)


def test_a_missing_part_is_waited_for_and_then_told(make_combiner: Make, send: Send) -> None:
    send("ours", faithfulness=0.9)
    (combined,) = make_combiner(wait_s=0).run_once()
    assert (combined.complete, combined.revision, combined.composite.score) == (False, 1, 0.9)
    assert combined.composite.coverage == pytest.approx(2 / 3)
    assert list(make_combiner(wait_s=0).run_once()) == []


def test_the_wait_begins_with_the_first_part(make_combiner: Make, send: Send) -> None:
    send("ours", faithfulness=0.9)
    assert list(make_combiner().run_once()) == []
    send("again", faithfulness=0.8)
    assert list(make_combiner(wait_s=0).run_once()) == []


def test_a_late_part_makes_a_new_revision(make_combiner: Make, send: Send, published: Any) -> None:
    combiner = make_combiner(wait_s=0)
    send("ours", faithfulness=0.9)
    early = list(combiner.run_once())
    send("theirs", toxicity=0.3)
    (late,) = combiner.run_once()
    assert (late.revision, late.complete, late.composite.coverage) == (2, True, 1.0)
    assert published() == [*early, late]


def test_a_later_score_of_the_same_metric_makes_a_new_revision(make_combiner: Make, send: Send) -> None:
    send("ours", faithfulness=0.9, toxicity=0.3)
    assert [combined.revision for combined in make_combiner().run_once()] == [1]
    send("again", faithfulness=0.5)
    (corrected,) = make_combiner().run_once()
    assert (corrected.revision, corrected.metrics) == (2, {"faithfulness": 0.5, "toxicity": 0.3})
    assert [part.job_id for part in corrected.parts] == ["ours", "again"]


def test_a_repeated_part_publishes_nothing(make_combiner: Make, send: Send, published: Any) -> None:
    for _ in range(2):
        send("ours", faithfulness=0.9)
        send("theirs", toxicity=0.3)
        list(make_combiner().run_once())
    send("theirs", toxicity=0.3)
    assert list(make_combiner().run_once()) == []
    assert [combined.revision for combined in published()] == [1]


def test_results_that_are_read_out_of_order_count_by_their_place_on_the_stream(
    make_combiner: Make, send: Send, server: redis.Redis, keys: Keys, published: Any
) -> None:
    server.xgroup_create(keys.results, COMBINE_GROUP, id="0", mkstream=True)
    send("old", faithfulness=0.1, toxicity=0.5)
    # another consumer takes the older result and dies with it
    assert server.xreadgroup(COMBINE_GROUP, "dead", {keys.results: ">"})
    send("new", faithfulness=0.9)
    assert list(make_combiner().run_once()) == published() == []
    (combined,) = make_combiner("two", claim_idle_ms=0).run_once()
    assert combined.metrics == {"faithfulness": 0.9, "toxicity": 0.5}


def test_ids_that_look_alike_when_joined_are_kept_apart(make_combiner: Make, send: Send) -> None:
    send("a", ("t:1", "s"), faithfulness=0.9)
    send("b", ("t", "1:s"), toxicity=0.3)
    send("c", ("1:t", "s"), toxicity=0.3)
    assert list(make_combiner().run_once()) == []
    send("d", ("t:1", "s"), toxicity=0.1)
    (combined,) = make_combiner().run_once()
    assert (combined.trace_id, combined.span_id, combined.metrics["toxicity"]) == ("t:1", "s", 0.1)


def test_results_from_before_the_first_combiner_count(make_combiner: Make, send: Send) -> None:
    for n in range(250):
        send("ours", ("t1", f"s{n}"), faithfulness=0.5, toxicity=0.5)
    assert [combined.span_id for combined in make_combiner().run_once()] == [f"s{n}" for n in range(250)]


def test_what_is_kept_of_a_span_expires_once_its_composite_is_published(
    make_combiner: Make, send: Send, server: redis.Redis, keys: Keys
) -> None:
    send("ours", faithfulness=0.9)
    list(make_combiner().run_once())
    assert server.pttl(keys.parts("t1", "s1")) == -1
    send("theirs", toxicity=0.3)
    list(make_combiner().run_once())
    assert 0 < server.pttl(keys.parts("t1", "s1")) <= 24 * 3600 * 1000
    assert not server.exists(keys.deadlines)


def test_run_waits_for_parts_until_the_deadline(make_combiner: Make, send: Send) -> None:
    stop = Event()
    send("ours", faithfulness=0.9)
    running = make_combiner(wait_s=0.05).run(stop)
    assert not next(running).complete
    send("theirs", toxicity=0.3)
    assert next(running).revision == 2
    stop.set()
    assert list(running) == []
