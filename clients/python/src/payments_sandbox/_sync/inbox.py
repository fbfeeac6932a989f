# Written by tools/write_sync.py from _async; edit that one.
"""The inboxes: test receivers inside the sandbox."""

from __future__ import annotations

from typing import Any, List

from .ask import Ask, part

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class Inbox:
    """The inboxes of a world by name; ``world.inbox_url`` is the address of ``default``."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def url(self, name: str = "default") -> str:
        """Returns the address to send as ``callback_url``."""
        address: str = (self._ask("GET", f"/sandbox/inbox/{part(name)}", query={"limit": 1}))["address"]
        return address

    def messages(self, name: str = "default") -> List[dict[str, Any]]:
        """Returns the received messages, newest first, with the results of signature checks."""
        return self._ask.all(f"/sandbox/inbox/{part(name)}", "messages", {"limit": 100})

    def respond(self, responses: List[int | str], name: str = "default") -> None:
        """Scripts the next responses, such as ``[500, "timeout", 200]``; the last one repeats."""
        self._ask("PUT", f"/sandbox/inbox/{part(name)}", {"responses": responses})

    def clear(self, name: str = "default") -> None:
        self._ask("DELETE", f"/sandbox/inbox/{part(name)}")
