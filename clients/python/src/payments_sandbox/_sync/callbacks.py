# Written by tools/write_sync.py from _async; edit that one.
"""The callbacks of a world."""

from __future__ import annotations

from types import EllipsisType
from typing import Any, List

from .._callback import Callback
from .._payment import Payment
from .ask import Ask, Duration, duration, reference_of

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class Callbacks:
    """The callbacks of a world."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def list(self, *, reference: str | None = None, state: str | None = None, url: str | None = None) -> List[Callback]:
        """Lists them, newest first.

        :param reference: any identifier of the transaction
        :param state: ``pending``, ``delivered``, ``failed`` or ``failing``
        """
        query = {"reference": reference, "state": state, "url": url}
        return [self.get(each["id"]) for each in self._ask.all("/sandbox/callbacks", "callbacks", query)]

    def get(self, callback: Callback | int) -> Callback:
        """Returns the current state of the callback."""
        return Callback.of(self._ask("GET", f"/sandbox/callbacks/{_id(callback)}"))

    def wait(
        self,
        reference: Payment | str | EllipsisType = ...,
        *,
        count: int = 1,
        state: str = "delivered",
        timeout: Duration = 10,
    ) -> List[Callback]:
        """Waits in real time until ``count`` callbacks have the state. Returns them, oldest first.

        :param reference: any identifier of the transaction; if several have it, only callbacks of the newest count. By default, callbacks of
            all transactions count.
        :param state: ``delivered``, ``failed`` or ``final``, which means either
        :raises SandboxError: 504 if they do not arrive in time, with the received callbacks and the schedule
        """
        # An order without a reference would get the callback of another.
        wanted = None if reference is ... else reference_of(reference)
        query = {"reference": wanted, "count": count, "state": state, "timeout": duration(timeout)}
        answer = self._ask("GET", "/sandbox/callbacks/wait", query=query)
        return [Callback.of(each) for each in answer["callbacks"]]

    def resend(self, callback: Callback | int) -> None:
        """Resends the callback with the same bytes."""
        self._ask("POST", f"/sandbox/callbacks/{_id(callback)}/resend")

    def fire(self, reference: str, **how: Any) -> Callback:
        """Sends another callback with the current state of a transaction.

        :param how: ``fault="tampered"``, ``set={"amount": 1}``, ``copies=10``, ``shape``, ``url``, ``after`` and the other fields of
            ``POST /sandbox/callbacks/fire``
        """
        return Callback.of(self._ask("POST", "/sandbox/callbacks/fire", {"reference": reference, **how}))


def _id(callback: Callback | int) -> int:
    return callback.id if isinstance(callback, Callback) else callback
