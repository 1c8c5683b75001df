from __future__ import annotations

import signal

import hypothesis
import pytest

from groundwire.models import NliEngine, RuleSplitter, SpacySplitter, build_embedded, load_relevance
from groundwire.worker.scoring.ports import Ports

# a shell starts background jobs with Ctrl-C ignored, and the processes that tests start would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

# an example may take as long as the other process of the tests makes it
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")

LONGEST = ("tests/chaos/", "tests/worker/demo/")
"""Where tests take half a minute or more: they come first, lest one process waits for the other's last test."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # pytest-randomly has shuffled them
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.fixture(scope="session")
def real_ports() -> Ports:
    """The embedded models and the splitters as a worker uses them, loaded once."""
    engine = NliEngine.load(build_embedded(), threads=1)
    return Ports(
        nli=engine,
        relevance=load_relevance(),
        answer_splitter=SpacySplitter.load(),
        context_splitter=RuleSplitter(),
        tokens=engine,
    )
