"""Callbacks as sent by the sandbox, and as received by a receiver."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Callback:
    """A callback of the world with its attempts."""

    id: int
    reference: str
    """The service's reference of its transaction."""
    external_reference: str
    url: str
    state: str
    """``pending``, ``delivered`` or ``failed``."""
    fault: str | None
    """The injected fault."""
    body: Any
    """The body as JSON, or as text if it is not JSON."""
    raw: bytes
    """The bytes that were signed."""
    headers: Mapping[str, str]
    """The headers of the last attempt, names in lower case; empty before the first."""
    attempts: list[dict[str, Any]]
    """The attempts as in ``GET /sandbox/callbacks/{id}``: time, headers, response, error and advice."""
    verified: bool | None = None
    """Whether the signature is valid; only ``world.callback()`` verifies it."""

    @property
    def status(self) -> int | None:
        """The receiver's last response status; ``None`` if it did not respond."""
        return (self._statuses() or [None])[-1]

    @property
    def deliveries(self) -> int:
        """The number of attempts that the receiver accepted: 2 for ``duplicate-callback``."""
        return sum(status is not None and status < 300 for status in self._statuses())

    def _statuses(self) -> list[int | None]:
        return [each["response"] and each["response"]["status"] for each in self.attempts]

    @classmethod
    def of(cls, details: Mapping[str, Any]) -> Callback:
        told, raw = details["callback"], details["body"].encode()
        sent = details["attempts"][-1]["request"]["headers"] if details["attempts"] else {}
        return cls(
            id=told["id"],
            reference=told["transaction"],
            external_reference=told["external_reference"],
            url=told["url"],
            state=told["state"],
            fault=told["fault"],
            body=_parsed(raw),
            raw=raw,
            headers={name.lower(): value for name, value in sent.items()},
            attempts=details["attempts"],
        )


@dataclass(frozen=True)
class Received:
    """A callback received by ``world.listen()``."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    raw: bytes
    verified: bool
    """Whether the signature is valid and recent."""
    problem: str
    """Why the signature is invalid; empty if it is valid."""
    response_status: int
    """The response status."""

    @property
    def body(self) -> Any:
        """The body as JSON, or as text if it is not JSON."""
        return _parsed(self.raw)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")
