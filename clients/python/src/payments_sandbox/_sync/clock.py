# Written by tools/write_sync.py from _async; edit that one.
"""A world's time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from .ask import Ask, duration

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class Clock:
    """The world's clock; those of other worlds do not notice."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def now(self) -> datetime:
        """The world's time, with its zone."""
        return datetime.fromisoformat((self.show())["now"].replace("Z", "+00:00"))

    def show(self) -> dict[str, Any]:
        """Time, pace, and what is owed when."""
        shown: dict[str, Any] = self._ask("GET", "/sandbox/clock")
        return shown

    def freeze(self) -> None:
        """It stands still, and nothing happens by itself."""
        self._ask("POST", "/sandbox/clock/freeze")

    def resume(self) -> None:
        """It goes on at the pace of real time."""
        self._ask("POST", "/sandbox/clock/resume")

    def speed(self, factor: float) -> None:
        """It goes on so many times as fast."""
        self._ask("POST", "/sandbox/clock/speed", {"speed": factor})

    def advance(self, to: str | timedelta | datetime) -> dict[str, Any]:
        """Leaps on by a duration (``"72h"``, a ``timedelta``) or to a time; answers what ran on the way.

        :param to: a ``datetime`` needs a zone
        """
        ran: dict[str, Any] = self._ask("POST", "/sandbox/clock/advance", _further(to))
        return ran


def _further(to: str | timedelta | datetime) -> dict[str, str]:
    if isinstance(to, datetime):
        if to.tzinfo is None:
            raise ValueError(f"clock.advance: {to!r} has no zone; give one, such as tzinfo=timezone.utc")
        return {"to": to.isoformat()}
    if isinstance(to, str) and to[:4].isdigit() and to[4:5] == "-":
        return {"to": to}
    return {"by": duration(to)}
