"""Two combiners on one span, each step of one in the middle of a step of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import redis

from groundwire.client import COMBINE_GROUP, CombineSettings, Keys
from groundwire.client.combine_step import CombineSteps
from groundwire.client.span_join import Part

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.client import ClientSettings
    from groundwire.schemas import Combined

    Send = Callable[..., str]


class Interrupted(redis.Redis):
    """A connection on which somebody else gets in between the first reading and what follows it."""

    meanwhile: Callable[[], Any] | None = None

    def get(self, name: Any) -> Any:
        value = super().get(name)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return value


class Two:
    """Two combiners; what `meanwhile` does happens in the middle of the first one's next step."""

    def __init__(self, settings: ClientSettings, server: redis.Redis) -> None:
        self.keys = Keys(settings.prefix)
        self.server = server
        server.xgroup_create(self.keys.results, COMBINE_GROUP, id="0", mkstream=True)
        own = CombineSettings(
            redis_url=settings.redis_url, prefix=settings.prefix, weights={"faithfulness": 1, "toxicity": 1}
        )
        self.interrupted = Interrupted.from_url(settings.redis_url, protocol=2)
        self.first = CombineSteps(self.interrupted, self.keys, own)
        self.second = CombineSteps(server, self.keys, own)

    def take(self) -> tuple[str, Part]:
        """Read the next result."""
        [[_, [(entry_id, fields)]]] = self.server.xreadgroup(COMBINE_GROUP, "any", {self.keys.results: ">"}, count=1)
        return entry_id.decode(), Part.model_validate_json(fields[b"payload"])

    def meanwhile(self, act: Callable[[], Combined | None]) -> list[Combined | None]:
        """Have `act` done in the middle of the first one's next step; its outcome ends up in the list."""
        outcome: list[Combined | None] = []
        self.interrupted.meanwhile = lambda: outcome.append(act())
        return outcome

    def published(self) -> int:
        return self.server.xlen(self.keys.composites)

    def pending(self) -> int:
        summary = self.server.xpending(self.keys.results, COMBINE_GROUP)
        return int(summary["pending"])


@pytest.fixture
def two(settings: ClientSettings, server: redis.Redis) -> Two:
    return Two(settings, server)


def test_two_parts_at_the_same_time_make_one_composite_of_both(two: Two, send: Send) -> None:
    send("ours", faithfulness=0.5)
    send("theirs", toxicity=0.25)
    ours, theirs = two.take(), two.take()
    other = two.meanwhile(lambda: two.second.add(*theirs))
    combined = two.first.add(*ours)
    assert combined is not None
    assert (combined.metrics, combined.revision) == ({"faithfulness": 0.5, "toxicity": 0.25}, 1)
    assert other == [None]
    assert (two.published(), two.pending()) == (1, 0)


def test_two_late_parts_at_the_same_time_make_a_revision_each(two: Two, send: Send) -> None:
    send("ours", faithfulness=0.5, toxicity=0.5)
    two.second.add(*two.take())
    send("later", faithfulness=0.25)
    send("later too", toxicity=0.75)
    one, another = two.take(), two.take()
    second = two.meanwhile(lambda: two.second.add(*another))
    third = two.first.add(*one)
    assert second[0] is not None
    assert third is not None
    assert (second[0].revision, third.revision) == (2, 3)
    assert third.metrics == {"faithfulness": 0.25, "toxicity": 0.75}
    assert (two.published(), two.pending()) == (3, 0)


def test_one_result_that_both_have_read_makes_one_composite(two: Two, send: Send) -> None:
    send("ours", faithfulness=0.5, toxicity=0.25)
    ours = two.take()
    other = two.meanwhile(lambda: two.second.add(*ours))
    assert two.first.add(*ours) is None
    assert other[0] is not None
    assert (two.published(), two.pending()) == (1, 0)


def test_a_deadline_that_both_see_makes_one_composite(two: Two, send: Send) -> None:
    send("ours", faithfulness=0.5)
    assert two.second.add(*two.take()) is None
    key = two.keys.parts("t1", "s1")
    other = two.meanwhile(lambda: two.second.publish_due(key))
    assert two.first.publish_due(key) is None
    assert other[0] is not None
    assert two.published() == 1


def test_a_part_that_comes_as_the_deadline_passes_is_in_the_composite_or_makes_a_revision(two: Two, send: Send) -> None:
    send("ours", faithfulness=0.5)
    send("theirs", toxicity=0.25)
    assert two.second.add(*two.take()) is None
    theirs = two.take()
    other = two.meanwhile(lambda: two.second.add(*theirs))
    assert two.first.publish_due(two.keys.parts("t1", "s1")) is None
    assert other[0] is not None
    assert other[0].complete
    assert (two.published(), two.pending()) == (1, 0)


def test_a_result_that_is_done_with_is_not_joined_again_even_when_its_span_is_forgotten(two: Two, send: Send) -> None:
    send("ours", faithfulness=0.5, toxicity=0.25)
    ours = two.take()
    assert two.second.add(*ours) is not None
    two.server.delete(two.keys.parts("t1", "s1"))
    assert two.first.add(*ours) is None
    assert two.published() == 1
