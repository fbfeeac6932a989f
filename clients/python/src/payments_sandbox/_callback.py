"""Callbacks as the sandbox sent them, and as a receiver of ours got them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Callback:
    """A callback of the world's record, with its attempts."""

    id: int
    reference: str
    """The service's reference of its transaction."""
    external_reference: str
    url: str
    state: str
    """``pending``, ``delivered`` or ``failed``."""
    fault: str | None
    """What is wrong with it on purpose."""
    body: Any
    """Its JSON; text when it is none."""
    raw: bytes
    """The bytes that were signed."""
    headers: Mapping[str, str]
    """Those of the last attempt, names in lower case; empty before the first."""
    attempts: list[dict[str, Any]]
    """As ``GET /sandbox/callbacks/{id}`` tells them: time, headers, answer, error and what to change."""

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
    """A callback as it came to ``world.listen()``."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    raw: bytes
    verified: bool
    """Whether the world's secret signed these bytes, of late."""
    problem: str
    """Why not; empty when it is verified."""
    answered: int
    """The status that it was answered with."""

    @property
    def body(self) -> Any:
        """Its JSON; text when it is none."""
        return _parsed(self.raw)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")
