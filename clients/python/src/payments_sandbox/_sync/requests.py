# Written by tools/write_sync.py from _async; edit that one.
"""The record of what a world was asked and what it answered."""

from __future__ import annotations

from typing import Any, List

from .ask import Ask, Duration, duration, part

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class Requests:
    """The requests of the integration to the service; calls of ``/sandbox`` are not among them."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def list(self, **filter: Any) -> List[dict[str, Any]]:
        """The newest first.

        :param filter: ``operation``, ``method``, ``path``, ``status``, ``reference``, ``search``
        """
        return self._ask.all("/sandbox/requests", "requests", filter)

    def find(self, conditions: dict[str, Any]) -> List[dict[str, Any]]:
        """Those that meet all conditions, the newest first: ``{"operation": "createCollection", "amount": {"gte": 100}}``."""
        found: List[dict[str, Any]] = (self._ask("POST", "/sandbox/requests/find", conditions))["requests"]
        return found

    def count(self, conditions: dict[str, Any]) -> int:
        """How many do."""
        count: int = (self._ask("POST", "/sandbox/requests/count", conditions))["count"]
        return count

    def wait(self, *, count: int = 1, timeout: Duration = 10, **filter: Any) -> List[dict[str, Any]]:
        """Waits, in real time, until so many have come; those before count, too.

        :param filter: ``operation``, ``method``, ``path``, ``status``, ``reference``
        :raises SandboxError: 504 when they do not come; it says how the nearest differs
        """
        query = {**filter, "count": count, "timeout": duration(timeout)}
        found: List[dict[str, Any]] = (self._ask("GET", "/sandbox/requests/wait", query=query))["requests"]
        return found

    def explain(self, request_id: str) -> dict[str, Any]:
        """What decided it: every rule that was tried, and what made it miss."""
        explanation: dict[str, Any] = self._ask("GET", f"/sandbox/requests/{part(request_id)}/explain")
        return explanation

    def curl(self, request_id: str) -> str:
        """The same request as a curl command."""
        command: str = self._ask("GET", f"/sandbox/requests/{part(request_id)}/curl")
        return command

    def clear(self) -> None:
        self._ask("DELETE", "/sandbox/requests")
