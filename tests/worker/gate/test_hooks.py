"""Hooks, against a local HTTP server: what is sent to whom, and what becomes of refusals."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from groundwire.worker.gate.hooks import tell
from groundwire.worker.gate.slo import OnRegression
from tests.http_serving import serving_http
from tests.worker.gate.conftest import held
from tests.worker.gate.made_scores import made_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.worker.gate.report import GateReport

SECRET = "S3CRET"  # noqa: S105 - made up
ROW_ID = "a-row-of-mine"
BASELINE_CHECK = "drop of faithfulness at most 0.02: dropped by 0.6500 from 0.8500 over 2 rows (2 fell, 0 rose)"
UNREACHED = "check the URL, and whether this machine may reach it"


class Server:
    """Takes every POST, keeps it, and answers with the status that its path ends with."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []


@contextmanager
def serving() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, dict(self.headers), body))
            status = self.path.rpartition("/")[2]
            self.send_response(int(status) if status.isdigit() else 201)
            self.send_header("Content-Length", "7" if self.path == "/cut" else "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with serving_http(Handler) as url:
        server = Server(url)
        yield server


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


@pytest.fixture
def report() -> GateReport:
    made = made_set({"faithfulness": [0.2, 0.2]}, ids=[ROW_ID, "b"])
    return held(made, held(made_set({"faithfulness": [0.9, 0.8]}, ids=[ROW_ID, "b"])), {"faithfulness": 0.5})


def test_everybody_is_told_in_their_form_and_nothing_of_a_row(
    server: Server, report: GateReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    hooks = OnRegression(
        webhook=f"{server.url}/hook",
        slack=f"{server.url}/slack",
        github_repository="owner/name",
        github_api=f"{server.url}/api/v3/",
    )
    sent, failed = tell(report, hooks)
    assert (sent, failed) == (
        ["webhook, 127.0.0.1", "slack, 127.0.0.1", "github_repository, 127.0.0.1"],
        [],
    )
    hook, slack, issue = server.requests
    assert hook[0] == "/hook"
    assert hook[2]["verdict"] == "failed"
    assert hook[2]["metrics"]["faithfulness"]["mean"] == pytest.approx(0.2)
    assert [check["outcome"] for check in hook[2]["checks"]] == ["failed", "failed"]
    assert list(slack[2]) == ["text"]
    assert slack[2]["text"].splitlines() == [
        "*my set: failed (2 checks: 0 passed, 2 failed; 2 rows)*",
        "• faithfulness at least 0.5: the mean 0.2000 is below the minimum of 0.5",
        f"• {BASELINE_CHECK}",
    ]
    assert issue[0] == "/api/v3/repos/owner/name/issues"
    assert issue[1]["Authorization"] == f"Bearer {SECRET}"
    assert issue[2]["title"] == "Release gate: my set: failed (2 checks: 0 passed, 2 failed; 2 rows)"
    assert "| FAIL | faithfulness at least 0.5 |" in issue[2]["body"]
    assert not [request for request in server.requests if ROW_ID in json.dumps(request[2])]


def test_one_that_refuses_or_is_not_there_keeps_it_from_no_other_and_no_secret_is_shown(
    server: Server, report: GateReport
) -> None:
    with serving() as gone:
        nobody = gone.url
    sent, failed = tell(report, OnRegression(webhook=f"{nobody}/{SECRET}", slack=f"{server.url}/{SECRET}/403"))
    assert sent == []
    assert [str(error) for error in failed] == [
        f"on_regression.webhook: 127.0.0.1 could not be told (ConnectError); {UNREACHED}",
        "on_regression.slack: 127.0.0.1 answered with status 403; check the URL",
    ]
    assert len(server.requests) == 1


def test_a_redirect_is_no_success(server: Server, report: GateReport) -> None:
    _, [error] = tell(report, OnRegression(webhook=f"{server.url}/302"))
    assert "answered with status 302" in str(error)


def test_an_answer_whose_body_never_ends_is_not_waited_for(server: Server, report: GateReport) -> None:
    assert tell(report, OnRegression(webhook=f"{server.url}/cut")) == (["webhook, 127.0.0.1"], [])


def test_nobody_is_told_where_nobody_is_to_know(report: GateReport) -> None:
    assert tell(report, OnRegression()) == ([], [])
