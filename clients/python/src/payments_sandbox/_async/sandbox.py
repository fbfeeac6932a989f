"""A running sandbox and its worlds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any

from .._connection import Connection
from .._errors import suggestion
from .._operations import Operations
from .._reach import Reach
from .._start import start
from .transport import in_thread
from .world import AsyncWorld

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True

CLOCKS = {"frozen": {"speed": 0}, "real": {"speed": 1}}


class AsyncSandbox:
    """A sandbox; ``start()`` starts one or connects to a running one."""

    def __init__(
        self,
        url: str,
        username: str = "demo",
        password: str = "demo",
        *,
        in_container: bool = False,
        stop: Callable[[], None] | None = None,
    ) -> None:
        """Connects to the sandbox at an address.

        :param username: the username of the world from which others are created
        :param stop: stops the sandbox when it is closed
        """
        self._connection = Connection(url, username, password)
        self._operations = Operations(lambda path: self._connection.ask("GET", path))
        self._reach = Reach(in_container)
        self._stop = stop
        self.url = self._connection.url

    @staticmethod
    async def start(settings: Mapping[str, str] | None = None) -> AsyncSandbox:
        """Connects to ``PAYMENTS_SANDBOX_URL``. Otherwise starts ``PAYMENTS_SANDBOX_COMMAND``, or a container of
        ``PAYMENTS_SANDBOX_IMAGE``, or an installed ``payments-sandbox`` command, or a container of the image
        ``payments-sandbox`` with docker or podman.

        :param settings: environment variables of a started sandbox, such as ``{"SANDBOX_SETTLE_AFTER": "0"}``
        :raises NoSandbox: with the attempts
        """
        running = await in_thread(start, settings or {})
        return AsyncSandbox(
            running.url, running.username, running.password, in_container=running.in_container, stop=running.stop
        )

    async def world(
        self,
        *,
        clock: str | datetime | float = "frozen",
        name: str | None = None,
        seed: Mapping[str, Any] | None = None,
        populate: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> AsyncWorld:
        """Creates an isolated world.

        :param clock: ``"frozen"``, ``"real"``, a time to freeze at, or a multiple of real time
        :param name: the name in the dashboard, cut off after 64 characters
        :param settings: such as ``{"settle_after": "500ms"}``
        """
        asked = {
            "clock": _clock(clock),
            "name": name and name[-64:],
            "seed": seed,
            "populate": populate,
            "settings": settings,
        }
        body = {field: value for field, value in asked.items() if value is not None}
        made = await in_thread(self._connection.ask, "POST", "/sandbox/worlds", body)
        key = made["credentials"]
        return AsyncWorld(Connection(self.url, key["username"], key["password"]), made, self._operations, self._reach)

    async def close(self) -> None:
        """Stops the sandbox if this process started it."""
        if self._stop:
            await in_thread(self._stop)

    async def __aenter__(self) -> AsyncSandbox:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()


def _clock(clock: str | datetime | float) -> dict[str, Any]:
    if isinstance(clock, datetime):
        if clock.tzinfo is None:
            raise ValueError(f"clock: {clock!r} has no zone; give one, such as tzinfo=timezone.utc")
        return {"at": clock.isoformat()}
    if not isinstance(clock, str):
        return {"speed": clock}
    if clock in CLOCKS:
        return dict(CLOCKS[clock])
    if clock[:4].isdigit():
        return {"at": clock}
    raise ValueError(f"clock: {clock!r} is neither a time nor known{suggestion(clock, CLOCKS)}")
