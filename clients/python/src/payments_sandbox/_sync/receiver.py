# Written by tools/write_sync.py from _async; edit that one.
"""A receiver of callbacks in a thread of the test process."""

from __future__ import annotations

from types import TracebackType

from .._callback import Received
from .._receiver import Listener
from .transport import in_thread

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class Receiver:
    """Listens until its block ends. Send its ``url`` as ``callback_url``."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.url = listener.url

    @property
    def received(self) -> list[Received]:
        """Returns all received callbacks in order of arrival; ``verified`` is the result of the signature check."""
        return self._listener.received()

    def wait(self, count: int = 1, *, timeout: float = 10) -> list[Received]:
        """Waits until ``count`` callbacks with valid signatures arrived.

        :param timeout: seconds
        :raises TimeoutError: with the callbacks that arrived
        """
        return in_thread(self._listener.wait, count, timeout)

    def close(self) -> None:
        """Stops listening. Raises the first error of the handler, so that its assertions fail the test."""
        in_thread(self._listener.close)

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except Exception:
            # The first error is the cause of the others.
            if error is None:
                raise
