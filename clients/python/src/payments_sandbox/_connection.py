"""Requests to a sandbox, blocking, with nothing but the standard library."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from ._errors import NoSandbox, SandboxError

# Tests that fail show their own lines, not these.
__tracebackhide__ = True

TIMEOUT = 90
"""Seconds; the sandbox itself waits 60 s at most."""


@dataclass(frozen=True)
class Answer:
    """An answer as it came, whatever its status."""

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
        """By which the record and ``requests.explain`` know the request."""
        return self.headers.get("sandbox-request-id", "")

    def value(self) -> Any:
        """The JSON, or the text when it is none."""
        return self.json() if "json" in self.headers.get("content-type", "") and self.content else self.text


class Connection:
    """One sandbox with one API key."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self.url = url.rstrip("/")
        self.username = username
        self.password = password
        self.authorization = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
        local = urlsplit(self.url).hostname in ("127.0.0.1", "localhost", "::1")
        # A proxy of the company's reaches no port of this machine.
        self._opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer, whatever its status.

        :param path: with or without the sandbox's address
        :param body: text and bytes are sent as they are, all else as JSON
        :raises NoSandbox: when nothing answers
        """
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
            raise
        except HTTPException as error:
            # An answer that is cut off is what some scenarios are for; to callers it is a connection that broke.
            raise ConnectionError(f"{method} {path}: the answer was cut off or is no HTTP") from error

    def ask(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None,
            headers: Mapping[str, str] | None = None) -> Any:
        """The answer's JSON, or text.

        :raises SandboxError: for a status of 400 and above
        """
        answer = self.send(method, path, body, query, headers)
        if answer.status >= 400:
            raise SandboxError(f"{method} {path}", answer.status, answer.value())
        return answer.value()


def _read(status: int, headers: Message, content: bytes) -> Answer:
    return Answer(status, {name.lower(): value for name, value in headers.items()}, content)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
