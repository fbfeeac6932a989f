"""The record of what a world was asked and what it answered."""

from __future__ import annotations

from typing import Any, List

from .ask import AsyncAsk, Duration, duration, part

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class AsyncRequests:
    """The requests of the integration to the service; calls of ``/sandbox`` are not among them."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def list(self, **filter: Any) -> List[dict[str, Any]]:
        """The newest first.

        :param filter: ``operation``, ``method``, ``path``, ``status``, ``reference``, ``search``
        """
        return await self._ask.all("/sandbox/requests", "requests", filter)

    async def find(self, conditions: dict[str, Any]) -> List[dict[str, Any]]:
        """Those that meet all conditions, the newest first: ``{"operation": "createCollection", "amount": {"gte": 100}}``."""
        found: List[dict[str, Any]] = (await self._ask("POST", "/sandbox/requests/find", conditions))["requests"]
        return found

    async def count(self, conditions: dict[str, Any]) -> int:
        """How many do."""
        count: int = (await self._ask("POST", "/sandbox/requests/count", conditions))["count"]
        return count

    async def wait(self, *, count: int = 1, timeout: Duration = 10, **filter: Any) -> List[dict[str, Any]]:
        """Waits, in real time, until so many have come; those before count, too.

        :param filter: ``operation``, ``method``, ``path``, ``status``, ``reference``
        :raises SandboxError: 504 when they do not come; it says how the nearest differs
        """
        query = {**filter, "count": count, "timeout": duration(timeout)}
        found: List[dict[str, Any]] = (await self._ask("GET", "/sandbox/requests/wait", query=query))["requests"]
        return found

    async def explain(self, request_id: str) -> dict[str, Any]:
        """What decided it: every rule that was tried, and what made it miss."""
        explanation: dict[str, Any] = await self._ask("GET", f"/sandbox/requests/{part(request_id)}/explain")
        return explanation

    async def curl(self, request_id: str) -> str:
        """The same request as a curl command."""
        command: str = await self._ask("GET", f"/sandbox/requests/{part(request_id)}/curl")
        return command

    async def clear(self) -> None:
        await self._ask("DELETE", "/sandbox/requests")
