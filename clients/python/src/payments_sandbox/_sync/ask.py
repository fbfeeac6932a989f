# Written by tools/write_sync.py from _async; edit that one.
"""Requests of the groups of a world."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from .._connection import Connection
from .._payment import Payment
from .transport import in_thread

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True

Duration = str | float | timedelta
"""A duration such as ``"72h"``, a ``timedelta``, or seconds."""


class Ask:
    """Requests to the control API of a world."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        return in_thread(self.connection.ask, method, path, body, query, headers)

    def all(self, path: str, key: str, query: Mapping[str, Any] | None = None) -> list[Any]:
        """Returns all items of a list across its pages, newest first."""
        found: list[Any] = []
        before = None
        while True:
            page = self("GET", path, query={"limit": 1000, "before": before, **(query or {})})
            found += page[key]
            before = page["next_before"]
            if before is None:
                return found


def reference_of(payment: object) -> str:
    """Returns the reference. Raises for one that an order without a reference would pass."""
    reference = payment.reference if isinstance(payment, Payment) else payment
    if isinstance(reference, str) and reference:
        return reference
    raise TypeError(f"reference must be a payment or its reference, got {reference!r}")


def part(value: object) -> str:
    """Encodes a segment of a path."""
    return quote(str(value), safe="")


def duration(value: Duration) -> str:
    """Formats a duration for the sandbox."""
    if isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    return f"{round(seconds * 1000)}ms"
