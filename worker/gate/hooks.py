"""Tells others that a gate has failed: a webhook, a chat in Slack's format, an issue on GitHub.

What is sent holds figures, names of metrics and of the set; never an id, a query, an answer or a context. Webhook URLs
are secrets, so that errors name the host alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from groundwire.schemas import GroundwireError
from groundwire.worker.gate.checks import Outcome
from groundwire.worker.gate.markdown import markdown_report
from groundwire.worker.gate.words import check_title, headline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.worker.gate.report import GateReport
    from groundwire.worker.gate.slo import OnRegression

TIMEOUT_S = 10.0
"""For connecting, and for every read: a build must not hang on a chat."""

GITHUB_VERSION = "2022-11-28"
"""The version of GitHub's API that the request is written for."""


class HookError(GroundwireError):
    """Somebody who was to be told could not be reached, or refused."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What one receiver is sent; `name` is the setting that asks for it."""

    name: str
    url: str
    body: dict[str, Any]
    headers: dict[str, str]


def tell(report: GateReport, hooks: OnRegression) -> tuple[list[str], list[HookError]]:
    """Send a report that failed to everybody who is to know.

    Returns:
        Whom it was sent to, as `slack, hooks.slack.com`, and what kept it from the others: one that fails keeps it from
        none of the others.
    """
    sent: list[str] = []
    failed: list[HookError] = []
    with httpx.Client(timeout=TIMEOUT_S) as client:
        for request in _requests(report, hooks):
            try:
                _post(client, request)
            except HookError as error:
                failed.append(error)
            else:
                sent.append(f"{request.name}, {urlsplit(request.url).hostname}")
    return sent, failed


def summary(report: GateReport) -> dict[str, Any]:
    """Return what a webhook is sent: the report without its rows and notes."""
    return report.model_dump(mode="json", exclude={"rows", "notes", "path"})


def _requests(report: GateReport, hooks: OnRegression) -> Iterator[_Request]:
    if hooks.webhook is not None:
        yield _Request("webhook", hooks.webhook, summary(report), {})
    if hooks.slack is not None:
        yield _Request("slack", hooks.slack, {"text": _message(report)}, {})
    token = hooks.github_token
    if hooks.github_repository is not None and token is not None:
        url = f"{hooks.github_api.rstrip('/')}/repos/{hooks.github_repository}/issues"
        figures = report.model_copy(update={"notes": ()})
        issue = {"title": f"Release gate: {headline(report)}", "body": markdown_report(figures)}
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": GITHUB_VERSION,
        }
        yield _Request("github_repository", url, issue, headers)


def _message(report: GateReport) -> str:
    failed = [check for check in report.checks if check.outcome is Outcome.FAILED]
    lines = [f"*{headline(report)}*", *(f"• {check_title(check)}: {check.reason}" for check in failed)]
    # the three characters that Slack reads as marks in a text
    return "\n".join(lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _post(client: httpx.Client, request: _Request) -> None:
    name, host = f"on_regression.{request.name}", urlsplit(request.url).hostname
    try:
        # whoever has answered is told; a body could go on for ever
        with client.stream("POST", request.url, json=request.body, headers=request.headers) as answer:
            status, told = answer.status_code, answer.is_success
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        problem = f"{name}: {host} could not be told ({type(error).__name__})"
        raise HookError(f"{problem}; check the URL, and whether this machine may reach it") from None
    if not told:
        advice = "check the token and its rights" if request.name == "github_repository" else "check the URL"
        raise HookError(f"{name}: {host} answered with status {status}; {advice}")
