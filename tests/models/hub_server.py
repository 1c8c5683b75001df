"""A server on this machine that speaks as much of the Hub's API as huggingface_hub needs to download files."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Self

from tests.http_serving import serving_http

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".safetensors", ".onnx", ".bin")
_API = re.compile(r"/api/models/([^/]+/[^/]+)(?:/revision/([^/?]+))?(?:\?.*)?")
_FILE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/([^?]+)(?:\?.*)?")


@dataclass
class Repository:
    """A model: its files, and the revisions that stand for its only commit."""

    files: dict[str, bytes]
    revisions: tuple[str, ...] = ("main", COMMIT)
    commit: str = COMMIT
    stated: dict[str, str] = field(default_factory=dict)
    """SHA-256 that is stated for a file instead of its own."""

    def sha256(self, name: str) -> str:
        return self.stated.get(name) or hashlib.sha256(self.files[name]).hexdigest()

    def siblings(self) -> list[dict[str, Any]]:
        rows = []
        for name, content in self.files.items():
            row: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": _blob_id(content)}
            if name.endswith(LARGE):
                row["lfs"] = {"sha256": self.sha256(name), "size": len(content), "pointerSize": 134}
            rows.append(row)
        return rows


def _blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class HubServer:
    """Context manager; repositories can be put in and taken out while it runs.

    Attributes:
        url: While it runs; empty before.
        repositories: By id.
        requests: Method and path of every request so far.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.requests: list[str] = []
        hub = self

        class Handler(_Handler):
            server_hub = hub

        self.url = ""
        self._serving = serving_http(Handler)

    def __enter__(self) -> Self:
        self.url = self._serving.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._serving.__exit__(None, None, None)


class _Handler(BaseHTTPRequestHandler):
    server_hub: HubServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(send=True)

    def do_HEAD(self) -> None:
        self._answer(send=False)

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, *, send: bool) -> None:
        self.server_hub.requests.append(f"{self.command} {self.path}")
        match = _API.fullmatch(self.path) or _FILE.fullmatch(self.path)
        repository = self.server_hub.repositories.get(match[1]) if match else None
        if match is None or repository is None:
            self._refuse("RepoNotFound")
        elif (match[2] or "main") not in repository.revisions:
            self._refuse("RevisionNotFound")
        elif match.re is _API:
            info = {"id": match[1], "sha": repository.commit, "siblings": repository.siblings(), "tags": []}
            self._send(json.dumps(info).encode(), {"Content-Type": "application/json"}, send=send)
        elif match[3] not in repository.files:
            self._refuse("EntryNotFound")
        else:
            self._send_file(repository, match[3], send=send)

    def _send_file(self, repository: Repository, name: str, *, send: bool) -> None:
        content = repository.files[name]
        etag = repository.sha256(name) if name.endswith(LARGE) else _blob_id(content)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": repository.commit, "Accept-Ranges": "bytes"}
        if name.endswith(LARGE):
            headers |= {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(len(content))}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted is None:
            self._send(content, headers, send=send)
            return
        start, end = int(wanted[1]), int(wanted[2] or len(content) - 1)
        headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
        self._send(content[start : end + 1], headers, send=send, status=HTTPStatus.PARTIAL_CONTENT)

    def _send(self, body: bytes, headers: dict[str, str], *, send: bool, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        if send:
            self.wfile.write(body)

    def _refuse(self, code: str) -> None:
        status = HTTPStatus.UNAUTHORIZED if code == "RepoNotFound" else HTTPStatus.NOT_FOUND
        self._send(b"{}", {"X-Error-Code": code, "X-Error-Message": code}, send=self.command == "GET", status=status)
