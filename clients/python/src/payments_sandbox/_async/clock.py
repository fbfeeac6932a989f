"""The clock of a world."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from .ask import AsyncAsk, duration

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class AsyncClock:
    """The clock of a world. It does not affect other worlds."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def now(self) -> datetime:
        """Returns the world's time, with a time zone."""
        return datetime.fromisoformat((await self.show())["now"].replace("Z", "+00:00"))

    async def show(self) -> dict[str, Any]:
        """Returns the time, the speed and the pending jobs."""
        shown: dict[str, Any] = await self._ask("GET", "/sandbox/clock")
        return shown

    async def freeze(self) -> None:
        """Freezes the clock: jobs run only through ``advance`` and ``settle``."""
        await self._ask("POST", "/sandbox/clock/freeze")

    async def resume(self) -> None:
        """Resumes the clock at the speed of real time."""
        await self._ask("POST", "/sandbox/clock/resume")

    async def speed(self, factor: float) -> None:
        """Runs the clock at a multiple of real time."""
        await self._ask("POST", "/sandbox/clock/speed", {"speed": factor})

    async def advance(self, to: str | timedelta | datetime) -> dict[str, Any]:
        """Advances the clock by a duration (``"72h"``, a ``timedelta``) or to a time. Returns the jobs that ran.

        :param to: a ``datetime`` must have a time zone
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
