"""The request log of a world."""

from __future__ import annotations

from typing import Any, List

from .ask import AsyncAsk, Duration, duration, part

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class AsyncRequests:
    """The requests of the integration to the service. Calls of ``/sandbox`` are not included."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def list(self, **filter: Any) -> List[dict[str, Any]]:
        """Lists them, newest first.

        :param filter: ``operation``, ``method``, ``path``, ``status``, ``reference``, ``search``
        """
        return await self._ask.all("/sandbox/requests", "requests", filter)

    async def find(self, conditions: dict[str, Any]) -> List[dict[str, Any]]:
        """Returns the requests that meet all conditions, newest first: ``{"operation": "createCollection", "amount": {"gte": 100}}``."""
        found: List[dict[str, Any]] = (await self._ask("POST", "/sandbox/requests/find", conditions))["requests"]
        return found

    async def count(self, conditions: dict[str, Any]) -> int:
        """Returns the number of requests that meet all conditions."""
        count: int = (await self._ask("POST", "/sandbox/requests/count", conditions))["count"]
        return count

    async def wait(self, *, count: int = 1, timeout: Duration = 10, **filter: Any) -> List[dict[str, Any]]:
        """Waits in real time until ``count`` requests match, including earlier ones.

        :param filter: ``operation``, ``method``, ``path``, ``status``, ``reference``
        :raises SandboxError: 504 if they do not arrive in time, with the differences of the nearest request
        """
        query = {**filter, "count": count, "timeout": duration(timeout)}
        found: List[dict[str, Any]] = (await self._ask("GET", "/sandbox/requests/wait", query=query))["requests"]
        return found

    async def explain(self, request_id: str) -> dict[str, Any]:
        """Explains the outcome: all evaluated rules, and why each did not match."""
        explanation: dict[str, Any] = await self._ask("GET", f"/sandbox/requests/{part(request_id)}/explain")
        return explanation

    async def curl(self, request_id: str) -> str:
        """Returns a curl command that repeats the request."""
        command: str = await self._ask("GET", f"/sandbox/requests/{part(request_id)}/curl")
        return command

    async def clear(self) -> None:
        await self._ask("DELETE", "/sandbox/requests")
