# Written by tools/write_sync.py from _async; edit that one.
"""A receiver of callbacks in a thread of the tests."""

from __future__ import annotations

from types import TracebackType

from .._callback import Received
from .._receiver import Listener
from .transport import in_thread

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class Receiver:
    """Listens until its block ends; its ``url`` is a ``callback_url``."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.url = listener.url

    @property
    def received(self) -> list[Received]:
        """All that came, in the order of their arrival, whether its signature holds (``verified``) or not."""
        return self._listener.received()

    def wait(self, count: int = 1, *, timeout: float = 10) -> list[Received]:
        """Waits until so many came whose signature holds.

        :param timeout: seconds
        :raises TimeoutError: that says what came instead
        """
        return in_thread(self._listener.wait, count, timeout)

    def close(self) -> None:
        """Takes nothing any more. Raises what the handler raised, so that an assertion in there counts."""
        in_thread(self._listener.close)

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.close()
        except Exception:
            # What went wrong first is what is told.
            if error is None:
                raise
