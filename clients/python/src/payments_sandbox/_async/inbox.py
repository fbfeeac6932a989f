"""A receiver within the sandbox, for who has none."""

from __future__ import annotations

from typing import Any, List

from .ask import AsyncAsk, part

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class AsyncInbox:
    """The inboxes of a world, by name; ``world.inbox_url`` is that of the one called ``default``."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def url(self, name: str = "default") -> str:
        """To be sent as ``callback_url``."""
        address: str = (await self._ask("GET", f"/sandbox/inbox/{part(name)}", query={"limit": 1}))["address"]
        return address

    async def messages(self, name: str = "default") -> List[dict[str, Any]]:
        """What came, the newest first, with whether its signature holds."""
        return await self._ask.all(f"/sandbox/inbox/{part(name)}", "messages", {"limit": 100})

    async def respond(self, responses: List[int | str], name: str = "default") -> None:
        """What it answers, one after another, such as ``[500, "timeout", 200]``; the last one stays."""
        await self._ask("PUT", f"/sandbox/inbox/{part(name)}", {"responses": responses})

    async def clear(self, name: str = "default") -> None:
        await self._ask("DELETE", f"/sandbox/inbox/{part(name)}")
