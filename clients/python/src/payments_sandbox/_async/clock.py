"""A world's time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from .ask import AsyncAsk, duration

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class AsyncClock:
    """The world's clock; those of other worlds do not notice."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def now(self) -> datetime:
        """The world's time, with its zone."""
        return datetime.fromisoformat((await self.show())["now"].replace("Z", "+00:00"))

    async def show(self) -> dict[str, Any]:
        """Time, pace, and what is owed when."""
        shown: dict[str, Any] = await self._ask("GET", "/sandbox/clock")
        return shown

    async def freeze(self) -> None:
        """It stands still, and nothing happens by itself."""
        await self._ask("POST", "/sandbox/clock/freeze")

    async def resume(self) -> None:
        """It goes on at the pace of real time."""
        await self._ask("POST", "/sandbox/clock/resume")

    async def speed(self, factor: float) -> None:
        """It goes on so many times as fast."""
        await self._ask("POST", "/sandbox/clock/speed", {"speed": factor})

    async def advance(self, to: str | timedelta | datetime) -> dict[str, Any]:
        """Leaps on by a duration (``"72h"``, a ``timedelta``) or to a time; answers what ran on the way.

        :param to: a ``datetime`` needs a zone
        """
        ran: dict[str, Any] = await self._ask("POST", "/sandbox/clock/advance", _further(to))
        return ran


def _further(to: str | timedelta | datetime) -> dict[str, str]:
    if isinstance(to, datetime):
        if to.tzinfo is None:
            raise ValueError(f"clock.advance: {to!r} has no zone; give one, such as tzinfo=timezone.utc")
        return {"to": to.isoformat()}
    if isinstance(to, str) and to[:4].isdigit() and to[4:5] == "-":
        return {"to": to}
    return {"by": duration(to)}
