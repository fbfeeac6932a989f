"""The scenarios of a world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, List

from .ask import AsyncAsk, part

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class AsyncScenarios:
    """The scenarios of a world: shipped and uploaded ones."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def on(self, name: str) -> None:
        """Turns the scenario on for every matching request."""
        await self._ask("PATCH", f"/sandbox/scenarios/{part(name)}", {"on": True})

    async def off(self, name: str) -> None:
        await self._ask("PATCH", f"/sandbox/scenarios/{part(name)}", {"on": False})

    async def next(self, name: str, times: int = 1) -> None:
        """Queues the scenario for the next matching request, or for several."""
        await self._ask("POST", f"/sandbox/scenarios/{part(name)}/queue", {"times": times})

    async def put(self, name: str, file: Mapping[str, Any] | str) -> dict[str, Any]:
        """Uploads a scenario file to this world.

        :param file: as a ``dict``, or the text of a YAML file
        :raises SandboxError: 400 with line, column and the nearest valid word
        """
        answer = await self._ask("PUT", f"/sandbox/scenarios/{part(name)}", *_sent(file))
        scenario: dict[str, Any] = answer["scenario"]
        return scenario

    async def check(self, file: Mapping[str, Any] | str) -> dict[str, Any]:
        """Returns the errors of a scenario file without uploading it."""
        checked: dict[str, Any] = await self._ask("POST", "/sandbox/scenarios/check", *_sent(file))
        return checked

    async def get(self, name: str) -> dict[str, Any]:
        scenario: dict[str, Any] = (await self._ask("GET", f"/sandbox/scenarios/{part(name)}"))["scenario"]
        return scenario

    async def list(self) -> List[dict[str, Any]]:
        scenarios: List[dict[str, Any]] = (await self._ask("GET", "/sandbox/scenarios"))["scenarios"]
        return scenarios

    async def delete(self, name: str) -> None:
        """Deletes an uploaded scenario. A shipped one of the same name takes effect again."""
        await self._ask("DELETE", f"/sandbox/scenarios/{part(name)}")

    async def reset(self) -> None:
        """Turns all scenarios off and clears queues, steps and uploaded files."""
        await self._ask("DELETE", "/sandbox/scenarios")

    async def test_numbers(self) -> List[dict[str, Any]]:
        """Returns the test numbers: endings of phone numbers and accounts that select a scenario."""
        values: List[dict[str, Any]] = (await self._ask("GET", "/sandbox/test-numbers"))["test_numbers"]
        return values


def _sent(file: Mapping[str, Any] | str) -> tuple[Any, None, Mapping[str, str] | None]:
    return (file, None, {"Content-Type": "application/yaml"}) if isinstance(file, str) else (file, None, None)
