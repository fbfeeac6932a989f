"""Blocking requests to a sandbox with the standard library."""

from __future__ import annotations

import base64
import json
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from . import __version__
from ._errors import NoSandbox, SandboxError

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True

TIMEOUT = 90
"""Seconds. The sandbox waits at most 60 s."""


@dataclass(frozen=True)
class Answer:
    """A response with any status."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def request_id(self) -> str:
        """The id of the request in the request log and for ``requests.explain``."""
        return self.headers.get("sandbox-request-id", "")

    def value(self) -> Any:
        """The body as JSON, or as text if it is not JSON."""
        return self.json() if "json" in self.headers.get("content-type", "") and self.content else self.text


class Connection:
    """A connection to a sandbox with an API key."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self.url = url.rstrip("/")
        self.username = username
        self.password = password
        self.authorization = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
        local = urlsplit(self.url).hostname in ("127.0.0.1", "localhost", "::1")
        # A proxy cannot reach the ports of this machine.
        self._opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Sends a request. Returns the response whatever its status.

        :param path: with or without the sandbox's address
        :param body: text and bytes are sent unchanged, everything else as JSON
        :raises NoSandbox: if nothing responds
        """
        if "://" not in path and not path.startswith("/"):
            raise ValueError(f"path must start with /, got {path!r}")
        raw = isinstance(body, (str, bytes))
        data = None if body is None else (body if isinstance(body, bytes) else (body if raw else json.dumps(body)).encode())
        sent = {"Authorization": self.authorization, **({} if data is None or raw else {"Content-Type": "application/json"})}
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = (path if "://" in path else self.url + path) + (f"?{urlencode(given)}" if given else "")
        request = urllib.request.Request(url, data, {**sent, **(headers or {})}, method=method)
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                return _read(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return _read(refused.code, refused.headers, refused.read())
        except urllib.error.URLError as error:
            if isinstance(error.reason, ConnectionRefusedError):
                raise NoSandbox(f"no sandbox answers at {self.url}: start one there, or correct the address") from error
            if isinstance(error.reason, (socket.gaierror, TimeoutError)):
                raise NoSandbox(f"no sandbox answers at {self.url} ({error.reason}): correct the address") from error
            raise
        except TimeoutError as error:
            raise TimeoutError(f"{method} {path}: {self.url} did not answer within {TIMEOUT} s") from error
        except HTTPException as error:
            # Some scenarios cut responses off; for callers, the connection broke.
            raise ConnectionError(f"{method} {path}: the answer was cut off or is no HTTP") from error

    def ask(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None,
            headers: Mapping[str, str] | None = None) -> Any:
        """Sends a request. Returns the body as JSON or text.

        :raises SandboxError: for a status of 400 or higher
        """
        return self.accepted(method, path, body, query, headers).value()

    def accepted(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None,
                 headers: Mapping[str, str] | None = None) -> Answer:
        """Sends a request. Returns its response.

        :raises SandboxError: for a status of 400 or higher
        """
        answer = self.send(method, path, body, query, headers)
        if answer.status < 400:
            return answer
        error = SandboxError(f"{method} {path}", answer.status, answer.value())
        if answer.status == 404 and f"path {path} was not found" in str(error):
            version = self.send("GET", "/__admin/version")
            theirs = version.json()["version"] if version.status == 200 else "of another version"
            if theirs != __version__:
                error.args = (f"{error}: the sandbox is {theirs} and this client is {__version__}; use the sandbox of this version",)
        if answer.status == 401 and "+w-" in self.username:
            error.args = (f"{method} {path}: the world of {self.username} has ended: it was deleted, or not used for too long; create another one",)
        raise error


def _read(status: int, headers: Message, content: bytes) -> Answer:
    return Answer(status, {name.lower(): value for name, value in headers.items()}, content)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
