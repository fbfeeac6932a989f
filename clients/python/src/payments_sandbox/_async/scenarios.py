"""What shall happen to requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, List

from .ask import AsyncAsk, part

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class AsyncScenarios:
    """The scenarios of a world: those that come with the sandbox, and its own."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def on(self, name: str) -> None:
        """It happens to every request that it fits, until it is switched off."""
        await self._ask("PATCH", f"/sandbox/scenarios/{part(name)}", {"on": True})

    async def off(self, name: str) -> None:
        await self._ask("PATCH", f"/sandbox/scenarios/{part(name)}", {"on": False})

    async def next(self, name: str, times: int = 1) -> None:
        """It happens to the next request that it fits, or to so many."""
        await self._ask("POST", f"/sandbox/scenarios/{part(name)}/queue", {"times": times})

    async def put(self, name: str, file: Mapping[str, Any] | str) -> dict[str, Any]:
        """Puts one of this world's own.

        :param file: as a ``dict``, or the text of a YAML file
        :raises SandboxError: 400 with line, column and the nearest right word
        """
        answer = await self._ask("PUT", f"/sandbox/scenarios/{part(name)}", *_sent(file))
        scenario: dict[str, Any] = answer["scenario"]
        return scenario

    async def check(self, file: Mapping[str, Any] | str) -> dict[str, Any]:
        """What is wrong in one, without putting it."""
        checked: dict[str, Any] = await self._ask("POST", "/sandbox/scenarios/check", *_sent(file))
        return checked

    async def get(self, name: str) -> dict[str, Any]:
        scenario: dict[str, Any] = (await self._ask("GET", f"/sandbox/scenarios/{part(name)}"))["scenario"]
        return scenario

    async def list(self) -> List[dict[str, Any]]:
        scenarios: List[dict[str, Any]] = (await self._ask("GET", "/sandbox/scenarios"))["scenarios"]
        return scenarios

    async def delete(self, name: str) -> None:
        """Takes the world's own away; one of the sandbox's of that name counts again."""
        await self._ask("DELETE", f"/sandbox/scenarios/{part(name)}")

    async def reset(self) -> None:
        """Forgets all that is on, queued, counted and put."""
        await self._ask("DELETE", "/sandbox/scenarios")

    async def test_numbers(self) -> List[dict[str, Any]]:
        """The endings of phone numbers and accounts that choose a scenario."""
        values: List[dict[str, Any]] = (await self._ask("GET", "/sandbox/test-numbers"))["test_numbers"]
        return values


def _sent(file: Mapping[str, Any] | str) -> tuple[Any, None, Mapping[str, str] | None]:
    return (file, None, {"Content-Type": "application/yaml"}) if isinstance(file, str) else (file, None, None)
