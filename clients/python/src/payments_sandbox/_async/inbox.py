"""The inboxes: test receivers inside the sandbox."""

from __future__ import annotations

from typing import Any, List

from .ask import AsyncAsk, part

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class AsyncInbox:
    """The inboxes of a world by name; ``world.inbox_url`` is the address of ``default``."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def url(self, name: str = "default") -> str:
        """Returns the address to send as ``callback_url``."""
        address: str = (await self._ask("GET", f"/sandbox/inbox/{part(name)}", query={"limit": 1}))["address"]
        return address

    async def messages(self, name: str = "default") -> List[dict[str, Any]]:
        """Returns the received messages, newest first, with the results of signature checks."""
        return await self._ask.all(f"/sandbox/inbox/{part(name)}", "messages", {"limit": 100})

    async def respond(self, responses: List[int | str], name: str = "default") -> None:
        """Scripts the next responses, such as ``[500, "timeout", 200]``; the last one repeats."""
        await self._ask("PUT", f"/sandbox/inbox/{part(name)}", {"responses": responses})

    async def clear(self, name: str = "default") -> None:
        await self._ask("DELETE", f"/sandbox/inbox/{part(name)}")
